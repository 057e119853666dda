import { execFile } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
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
    const options = '--system --user-group --no-create-home --home-dir / --shell /usr/sbin/nologin'.split(' ');
    await run('useradd', [...options, name]);
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

const setpriv = ['/usr/bin/setpriv', '/bin/setpriv'].find((path) => existsSync(path));

interface Command {
  program: string;
  argumentsList: string[];
  /** True if the kernel kills the program when this process dies. */
  endsWithParent: boolean;
}

/** PostgreSQL gets no variable of this process, because its user could read ADMIN_TOKEN there. */
export const cleanEnvironment = { PATH: '/usr/bin:/bin', LC_ALL: 'C' };

/**
 * Returns how to run a PostgreSQL program that needs these directories. PostgreSQL refuses to run as root, so root runs
 * it as `user`. If only root can reach the directories, such as a checkout below /root, the program keeps one
 * capability: to read and search, not to write. `access()` considers capabilities only with `no_setuid_fixup`; the exec
 * drops all others. With setpriv, the program also dies with its parent.
 */
export function runAs(
  program: string,
  argumentsList: string[],
  directories: string[],
  user: PostgresUser | undefined,
): Command {
  if (!setpriv) {
    if (user) throw new Error('as root, the embedded PostgreSQL needs setpriv (util-linux); or set DATABASE_URL');
    return { program, argumentsList, endsWithParent: false };
  }
  const open = [program, ...directories].every((path) => openToAll(dirname(path)));
  const passage = ['--securebits=+no_setuid_fixup', '--inh-caps=+dac_read_search', '--ambient-caps=+dac_read_search'];
  const demotion = user
    ? [`--reuid=${user.uid}`, `--regid=${user.gid}`, '--clear-groups', ...(open ? [] : passage)]
    : [];
  return {
    program: setpriv,
    argumentsList: ['--pdeathsig=INT', ...demotion, program, ...argumentsList],
    endsWithParent: true,
  };
}

/** Returns whether every user may traverse this directory and all above it. */
function openToAll(directory: string): boolean {
  const passable = (statSync(directory).mode & 0o001) !== 0;
  return passable && (dirname(directory) === directory || openToAll(dirname(directory)));
}
