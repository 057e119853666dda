import { existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { PostgresUser } from './postgres-user.js';

const setpriv = ['/usr/bin/setpriv', '/bin/setpriv'].find((path) => existsSync(path));

export interface Command {
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
