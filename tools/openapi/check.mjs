// `npm run check:openapi`: openapi.json passes the linter, the client has its types, and the code of two common
// generators compiles strictly.
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { clientTypes, document, install, run, writeTypes } from './generators.mjs';

install();
run('spectral', ['lint', document, '--fail-severity', 'warn', '--quiet']);

const here = fileURLToPath(new URL('.', import.meta.url));
const folder = mkdtempSync(join(here, '.generated-'));
try {
  const types = join(folder, 'openapi-typescript.ts');
  writeTypes(types);
  if (readFileSync(types, 'utf8') !== readFileSync(clientTypes, 'utf8')) {
    throw new Error('the types of @idsync/client are not those of openapi.json: run npm run openapi');
  }
  const heyApi = join(folder, 'hey-api');
  mkdirSync(heyApi);
  run('openapi-ts', ['--input', document, '--output', heyApi, '--client', '@hey-api/client-fetch', '--silent']);
  const strict = ['--strict', '--noUncheckedIndexedAccess', '--skipLibCheck', 'false'];
  const target = ['--target', 'es2023', '--lib', 'es2023,dom,dom.iterable', '--module', 'esnext'];
  const files = [types, join(heyApi, 'index.ts')];
  run('tsc', ['--noEmit', ...strict, ...target, '--moduleResolution', 'bundler', ...files]);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.stdout.write(
  'openapi.json: linted; the code of openapi-typescript and @hey-api/openapi-ts compiles strictly\n',
);
