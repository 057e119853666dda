// Runs the programs of this folder, which has its own dependencies, because the generators need another TypeScript.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('.', import.meta.url));
const root = fileURLToPath(new URL('../../', import.meta.url));
export const document = `${root}openapi.json`;
export const clientTypes = `${root}libs/client/src/generated/api.ts`;

export function run(program, words, folder = here) {
  execFileSync(`${here}node_modules/.bin/${program}`, words, { cwd: folder, stdio: 'inherit' });
}

/** Installs the programs of this folder from its lock file if they are not there. */
export function install() {
  if (existsSync(`${here}node_modules/.package-lock.json`)) return;
  execFileSync('npm', ['ci', '--no-audit', '--no-fund', '--ignore-scripts'], { cwd: here, stdio: 'inherit' });
}

/** Writes the types that openapi-typescript generates. */
export function writeTypes(file) {
  const options = ['--root-types', '--root-types-no-schema-prefix', '--default-non-nullable', 'false'];
  run('openapi-typescript', [document, '--output', file, ...options]);
}
