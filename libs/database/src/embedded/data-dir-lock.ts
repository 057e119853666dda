import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Another process works on this data directory. */
export class AlreadyRunningError extends Error {
  override readonly name = 'AlreadyRunningError';
}

export interface DataDirLock {
  release(): Promise<void>;
}

/**
 * Makes this process the only one on `dataDir`, until it ends in whatever way. The lock is a listening socket named after
 * the directory: unlike a pid file it cannot be stale, since the kernel closes it with the process.
 */
export async function lockDataDir(dataDir: string): Promise<DataDirLock> {
  mkdirSync(dataDir, { recursive: true });
  const real = realpathSync(dataDir);
  const pidFile = join(real, 'idsync.pid');
  const server = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EADDRINUSE') return reject(error);
      reject(new AlreadyRunningError(`idsync is already running on ${real}${runningPid(pidFile)}`));
    });
    server.listen(socketName(real), resolve);
  });
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

/** Linux has a name space of its own for such sockets; elsewhere it is a file, which a killed process leaves behind. */
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
