// Folders with their own lockfile have what only one tool needs, so that `npm ci` of the workspaces does not install it.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Installs the versions of the folder's lockfile, unless they are installed. */
export function installApart(folder) {
  const cwd = fileURLToPath(folder);
  const stored = `${cwd}/node_modules/installed-lockfile.json`;
  const lock = readFileSync(`${cwd}/package-lock.json`, 'utf8');
  if (existsSync(stored) && readFileSync(stored, 'utf8') === lock) return;
  process.stderr.write(`installing the dependencies of ${cwd}\n`);
  execFileSync('npm', ['ci', '--no-audit', '--no-fund', '--ignore-scripts'], {
    cwd,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  writeFileSync(stored, lock);
}
