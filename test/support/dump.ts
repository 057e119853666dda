import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Returns why the installed PostgreSQL programs cannot dump a server of this version; undefined if they can. */
export function dumpUnavailable(serverVersion: number): string | undefined {
  for (const program of ['pg_dump', 'pg_restore']) {
    const { stdout, error } = spawnSync(program, ['--version'], { encoding: 'utf8' });
    if (error) return `${program} is not installed`;
    const major = Number(/ (\d+)/.exec(stdout)?.[1]);
    if (major < serverVersion) return `${program} is of PostgreSQL ${major}, but the server is ${serverVersion}`;
  }
  return undefined;
}

/** Dumps the whole database during operation, as docs/operations.md describes. */
export async function dump(url: string, file: string): Promise<void> {
  await run('pg_dump', ['--format=custom', `--file=${file}`, url]);
}

/** Restores into an empty database owned by the login of `url`, as docs/operations.md describes. */
export async function restore(url: string, file: string): Promise<void> {
  await run('pg_restore', ['--no-owner', '--exit-on-error', '--jobs=2', `--dbname=${url}`, file]);
}
