// The peers are no dependencies of idsync: they are installed in this folder by the benchmark.
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const folder = dirname(fileURLToPath(import.meta.url));

/** Installs the versions of the lockfile, unless they are installed. */
export async function installPeers() {
  const stored = `${folder}/node_modules/installed-lockfile.json`;
  const [lock, installed] = await Promise.all(
    [`${folder}/package-lock.json`, stored].map((path) => readFile(path, 'utf8').catch(() => undefined)),
  );
  if (installed === lock) return;
  process.stdout.write('installing the peers\n');
  await run('npm', ['ci', '--prefix', folder, '--no-audit', '--no-fund'], { maxBuffer: 1 << 24 });
  await writeFile(stored, lock);
}

export async function versionsOfPeers() {
  const { packages } = JSON.parse(await readFile(`${folder}/package-lock.json`, 'utf8'));
  const names = Object.keys(packages[''].dependencies);
  return names.map((name) => `${name} ${packages[`node_modules/${name}`].version}`).join(', ');
}
