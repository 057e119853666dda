// Writes openapi.json from the schemas that validate requests.
import { readFile, writeFile } from 'node:fs/promises';
import { openApiDocument } from '../libs/contracts/dist/index.js';

const root = new URL('../', import.meta.url);
const { version } = JSON.parse(await readFile(new URL('package.json', root), 'utf8'));
await writeFile(new URL('openapi.json', root), `${JSON.stringify(openApiDocument(version), null, 2)}\n`);
