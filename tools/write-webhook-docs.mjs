// Writes the generated part of docs/webhooks.md: the event catalogue.
import { readFile, writeFile } from 'node:fs/promises';
import { describeEvents } from '../libs/contracts/dist/index.js';

const page = new URL('../docs/webhooks.md', import.meta.url);
const text = await readFile(page, 'utf8');
const written = text.replace(
  /(<!-- events: generated -->\n)[\s\S]*?(<!-- end -->)/,
  (_, start, end) => `${start}\n${describeEvents()}\n${end}`,
);
await writeFile(page, written);
