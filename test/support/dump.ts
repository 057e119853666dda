import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Why PostgreSQL's own programs cannot dump a server of this version; undefined if they can. */
export function whyNoDump(serverVersion: number): string | undefined {
  for (const program of ['pg_dump', 'pg_restore']) {
    const { stdout, error } = spawnSync(program, ['--version'], { encoding: 'utf8' });
    if (error) return `${program} is absent`;
    const major = Number(/ (\d+)/.exec(stdout)?.[1]);
    if (major < serverVersion) return `${program} is of PostgreSQL ${major}, and the server of ${serverVersion}`;
  }
  return undefined;
}

/** As docs/operations.md says: a snapshot of the whole database, while everybody works on. */
export async function dump(url: string, file: string): Promise<void> {
  await run('pg_dump', ['--format=custom', `--file=${file}`, url]);
}

/** As docs/operations.md says: into an empty database, which belongs to the login of `url`. */
export async function restore(url: string, file: string): Promise<void> {
  await run('pg_restore', ['--no-owner', '--exit-on-error', '--jobs=2', `--dbname=${url}`, file]);
}
