import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chown, copyFile, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { PostgresBinaries } from './postgres-binaries.js';
import type { PostgresUser } from './postgres-user.js';
import { cleanEnvironment, runAs } from './run-as.js';

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
    await initialise(dataDir, directory, passwordFile, binaries, user);
  }
  return { directory, password: await readFile(passwordFile, 'utf8') };
}

async function initialise(
  dataDir: string,
  directory: string,
  passwordFile: string,
  binaries: PostgresBinaries,
  user: PostgresUser | undefined,
): Promise<void> {
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

async function removeHalfMade(dataDir: string): Promise<void> {
  for (const name of await readdir(dataDir).catch(() => [])) {
    if (name.startsWith('postgres.new-')) await rm(join(dataDir, name), { recursive: true, force: true });
  }
}
