import { realpathSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { createServer } from 'node:net';
import { lockDataDir } from './data-dir-lock.js';
import { ensureCluster } from './init-cluster.js';
import { postgresBinaries } from './postgres-binaries.js';
import { addressOf, startServer } from './postgres-server.js';
import { postgresUser } from './postgres-user.js';
import { type PostgresLostError, supervise } from './supervise.js';

export interface EmbeddedPostgresOptions {
  /** Contains the data and the password; created if it does not exist. */
  dataDir: string;
  /** A free port by default. A restarted server keeps it. */
  port?: number;
  /** Called with the server's last log lines each time it stopped unexpectedly and is about to be restarted. */
  onStopped?: (lastOutput: string) => void;
}

export interface EmbeddedPostgres {
  /** Address for the administrator, on 127.0.0.1. */
  url: string;
  /** Resolves when the server stopped unexpectedly and could not be restarted. */
  lost: Promise<PostgresLostError>;
  stop(): Promise<void>;
}

/**
 * Starts a real PostgreSQL on `dataDir` for this process; a second process gets an AlreadyRunningError. A server that
 * stops unexpectedly is restarted. It stops with this process, even after SIGKILL, and the next start finds every
 * acknowledged row.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  await mkdir(options.dataDir, { recursive: true });
  const dataDir = realpathSync(options.dataDir);
  const lock = await lockDataDir(dataDir);
  try {
    const binaries = await postgresBinaries();
    const user = await postgresUser();
    const cluster = await ensureCluster(dataDir, binaries, user);
    const server = { postgres: binaries.postgres, cluster, user, port: options.port ?? (await freePort()) };
    const supervised = await supervise({ start: () => startServer(server), onStopped: options.onStopped });
    return {
      url: addressOf(server),
      lost: supervised.lost,
      async stop() {
        await supervised.stop();
        await lock.release();
      },
    };
  } catch (error) {
    await lock.release();
    throw error;
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}
