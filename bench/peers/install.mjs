// The peers are no dependencies of idsync: they are installed in this folder by the benchmark.
import { readFileSync } from 'node:fs';
import { installApart } from '../../tools/install-apart.mjs';

/** Installs the versions of the lockfile, unless they are installed. */
export function installPeers() {
  installApart(new URL('.', import.meta.url));
}

export function versionsOfPeers() {
  const { packages } = JSON.parse(readFileSync(new URL('package-lock.json', import.meta.url), 'utf8'));
  const names = Object.keys(packages[''].dependencies);
  return names.map((name) => `${name} ${packages[`node_modules/${name}`].version}`).join(', ');
}
