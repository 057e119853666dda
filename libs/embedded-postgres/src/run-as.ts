import { existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

const setpriv = ['/usr/bin/setpriv', '/bin/setpriv'].find((path) => existsSync(path));

/** `nobody` on Linux; it needs a name in the password file, since initdb asks for one. */
export const unprivileged = 65_534;

export interface Command {
  program: string;
  argumentsList: string[];
  /** True if the kernel ends the program when this process dies. */
  endsWithParent: boolean;
}

/**
 * How to run one of PostgreSQL's programs, which needs these directories. It refuses to run as root, so root gives it to
 * `nobody`. Where only root may pass, such as a checkout below /root, it keeps one capability: to read and search, not to
 * write. `access()` looks at capabilities only with `no_setuid_fixup`; the exec drops all others. Where setpriv exists, the
 * program also dies with its parent.
 */
export function runAs(program: string, argumentsList: string[], directories: string[]): Command {
  const root = process.getuid?.() === 0;
  if (!setpriv) {
    if (root) throw new Error('as root, the embedded PostgreSQL needs setpriv (util-linux); or set DATABASE_URL');
    return { program, argumentsList, endsWithParent: false };
  }
  const open = [program, ...directories].every((path) => openToAll(dirname(path)));
  const passage = ['--securebits=+no_setuid_fixup', '--inh-caps=+dac_read_search', '--ambient-caps=+dac_read_search'];
  const demotion = [`--reuid=${unprivileged}`, `--regid=${unprivileged}`, '--clear-groups', ...(open ? [] : passage)];
  return {
    program: setpriv,
    argumentsList: ['--pdeathsig=INT', ...(root ? demotion : []), program, ...argumentsList],
    endsWithParent: true,
  };
}

/** Everybody may pass through this directory and all above it. */
function openToAll(directory: string): boolean {
  const passable = (statSync(directory).mode & 0o001) !== 0;
  return passable && (dirname(directory) === directory || openToAll(dirname(directory)));
}
