import { once } from 'node:events';
import { realpathSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { lockDataDir } from './data-dir-lock.js';
import { ensureCluster, postgresBinaries } from './init-cluster.js';
import { addressOf, startServer } from './postgres-server.js';
import { postgresUser } from './run-as.js';
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

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}
