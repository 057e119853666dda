import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

export interface PostgresUser {
  uid: number;
  gid: number;
}

const name = 'idsync-postgres';

/**
 * Returns the system user that runs PostgreSQL if this process is root, and creates it on first use; undefined if it is
 * not root. No other program uses this user, so no other service of the machine can read the data. Throws an error if
 * the user cannot be created.
 */
export async function postgresUser(): Promise<PostgresUser | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const existing = await findUser();
  if (existing) return existing;
  try {
    await run('useradd', [
      '--system',
      '--user-group',
      '--no-create-home',
      '--home-dir',
      '/',
      '--shell',
      '/usr/sbin/nologin',
      name,
    ]);
  } catch (error) {
    const reason = error instanceof Error ? error.message.trim() : String(error);
    // Another process may have created it meanwhile.
    const created = await findUser();
    if (created) return created;
    throw new Error(
      `as root, the embedded PostgreSQL needs the system user ${name}: create it, or set DATABASE_URL (${reason})`,
    );
  }
  const created = await findUser();
  // Without this check, PostgreSQL would refuse to run as root with a misleading message.
  if (!created) throw new Error(`useradd created no user ${name} in /etc/passwd: create it, or set DATABASE_URL`);
  return created;
}

async function findUser(): Promise<PostgresUser | undefined> {
  const lines = (await readFile('/etc/passwd', 'utf8')).split('\n');
  const [, , uid, gid] = lines.find((line) => line.startsWith(`${name}:`))?.split(':') ?? [];
  return uid === undefined || gid === undefined ? undefined : { uid: Number(uid), gid: Number(gid) };
}
