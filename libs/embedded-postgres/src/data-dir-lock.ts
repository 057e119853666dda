import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Another process uses this data directory. */
export class AlreadyRunningError extends Error {
  override readonly name = 'AlreadyRunningError';
}

export interface DataDirLock {
  release(): Promise<void>;
}

/**
 * Locks `dataDir` for this process until it ends. The lock is a listening socket named after the directory: unlike a
 * pid file it cannot be stale, because the kernel closes it with the process.
 */
export async function lockDataDir(dataDir: string): Promise<DataDirLock> {
  mkdirSync(dataDir, { recursive: true });
  const real = realpathSync(dataDir);
  const pidFile = join(real, 'idsync.pid');
  const server = createServer((socket) => socket.destroy());
  const name = socketName(real);
  if (!(await listening(server, name))) {
    if (await answers(name))
      throw new AlreadyRunningError(`idsync is already running on ${real}${runningPid(pidFile)}`);
    // The socket file of a killed process.
    rmSync(name, { force: true });
    if (!(await listening(server, name))) {
      throw new AlreadyRunningError(`idsync is being started on ${real} by another process`);
    }
  }
  server.unref();
  writeFileSync(pidFile, `${process.pid}\n`);
  return {
    release: () =>
      new Promise((resolve) => {
        rmSync(pidFile, { force: true });
        server.close(() => resolve());
      }),
  };
}

/** Returns false if the name is in use. */
async function listening(server: Server, name: string): Promise<boolean> {
  server.listen(name);
  try {
    await once(server, 'listening');
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return false;
    throw error;
  }
}

/**
 * Returns whether a process listens there. Linux releases the name with the process, so a name in use always has a
 * listener.
 */
async function answers(name: string): Promise<boolean> {
  if (process.platform === 'linux') return true;
  const socket = connect(name);
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

/** Linux has an abstract namespace for such sockets; elsewhere it is a file, which a killed process leaves behind. */
function socketName(directory: string): string {
  const name = `idsync-${createHash('sha256').update(directory).digest('hex').slice(0, 32)}`;
  return process.platform === 'linux' ? `\0${name}` : join(tmpdir(), `${name}.sock`);
}

function runningPid(pidFile: string): string {
  try {
    return ` (process ${readFileSync(pidFile, 'utf8').trim()})`;
  } catch {
    return '';
  }
}
