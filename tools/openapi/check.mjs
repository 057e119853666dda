// `npm run check:openapi`: openapi.json passes the linter, and the code that common generators make of it compiles.
//
// This folder has its own dependencies, because only this check needs them. They are installed if they are not there.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { installApart } from '../install-apart.mjs';

const here = fileURLToPath(new URL('.', import.meta.url));
const document = fileURLToPath(new URL('../../openapi.json', import.meta.url));
const run = (program, words) =>
  execFileSync(`${here}node_modules/.bin/${program}`, words, { cwd: here, stdio: 'inherit' });

installApart(new URL('.', import.meta.url));

run('spectral', ['lint', document, '--fail-severity', 'warn', '--quiet']);
const folder = mkdtempSync(`${here}.generated-`);
try {
  // The types of @idsync/client are those of openapi-typescript; its own build compiles them.
  const heyApi = `${folder}/hey-api`;
  const orval = `${folder}/orval.ts`;
  const zod = `${folder}/zod.ts`;
  run('openapi-ts', ['--input', document, '--output', heyApi, '--client', '@hey-api/client-fetch', '--silent']);
  run('orval', ['--input', document, '--output', orval, '--client', 'fetch']);
  run('openapi-zod-client', [document, '--output', zod, '--export-schemas']);
  const strict = ['--strict', '--noUncheckedIndexedAccess', '--skipLibCheck', 'false'];
  const target = ['--target', 'es2023', '--lib', 'es2023,dom,dom.iterable', '--module', 'esnext'];
  const files = [`${heyApi}/index.ts`, orval, zod];
  run('tsc', ['--noEmit', ...strict, ...target, '--moduleResolution', 'bundler', ...files]);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.stdout.write('openapi.json: linted; the code of @hey-api/openapi-ts, orval and openapi-zod-client compiles\n');
