import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';

const waitMs = 30_000;
const pollMs = 50;

/**
 * Waits for a server that a killed process left shutting down, and removes a postmaster.pid whose process has ended or
 * is no PostgreSQL of this directory: PostgreSQL would mistake a reused pid for a running server.
 */
export async function awaitOldPostmaster(directory: string): Promise<void> {
  const pidFile = join(directory, 'postmaster.pid');
  for (const end = Date.now() + waitMs; ; await new Promise((resolve) => setTimeout(resolve, pollMs))) {
    const pid = await pidIn(pidFile);
    if (pid === undefined) return;
    if (!(await isPostgresOf(pid, directory))) return rm(pidFile, { force: true });
    // The death of its parent has usually stopped it already; a second signal is harmless.
    signal(pid, Date.now() > end - waitMs / 2 ? 'SIGQUIT' : 'SIGINT');
    if (Date.now() > end) throw new Error(`an old PostgreSQL (process ${pid}) still runs on ${directory}`);
  }
}

async function pidIn(pidFile: string): Promise<number | undefined> {
  const text = await readFile(pidFile, 'utf8').catch(() => '');
  const pid = Number.parseInt(text, 10);
  return Number.isInteger(pid) && pid > 0 ? pid : undefined;
}

async function isPostgresOf(pid: number, directory: string): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  // Without /proc, a living process is assumed to be this PostgreSQL.
  if (process.platform !== 'linux') return true;
  const commandLine = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
  return commandLine.includes(directory);
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // The process has ended meanwhile.
  }
}
