// The peers are no dependencies of idsync: they are installed in this folder by the benchmark.
import { execFile } from 'node:child_process';
import { readFile, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const folder = dirname(fileURLToPath(import.meta.url));

/** Installs the versions of the lock file, unless they are installed. */
export async function installPeers() {
  const lock = await stat(`${folder}/package-lock.json`);
  const installed = await stat(`${folder}/node_modules/.package-lock.json`).catch(() => undefined);
  if (installed && installed.mtimeMs >= lock.mtimeMs) return;
  process.stdout.write('installing the peers\n');
  await run('npm', ['ci', '--prefix', folder, '--no-audit', '--no-fund'], { maxBuffer: 1 << 24 });
}

export async function versionsOfPeers() {
  const { packages } = JSON.parse(await readFile(`${folder}/package-lock.json`, 'utf8'));
  const names = Object.keys(packages[''].dependencies);
  return names.map((name) => `${name} ${packages[`node_modules/${name}`].version}`).join(', ');
}
