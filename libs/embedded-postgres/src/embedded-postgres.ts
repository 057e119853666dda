import { type ChildProcess, spawn } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { createServer } from 'node:net';
import pg from 'pg';
import { lockDataDir } from './data-dir-lock.js';
import { type Cluster, ensureCluster } from './init-cluster.js';
import { awaitOldPostmaster } from './old-postmaster.js';
import { postgresBinaries } from './postgres-binaries.js';
import { runAs } from './run-as.js';

export interface EmbeddedPostgresOptions {
  /** Where the data and the password are kept; made if it does not exist. */
  dataDir: string;
  /** One that is free unless told. */
  port?: number;
}

export interface EmbeddedPostgres {
  /** The administrator's address, on 127.0.0.1. */
  url: string;
  stop(): Promise<void>;
}

/** Recovery after a kill can take a while on a large write-ahead log. */
const readyWithinMs = 120_000;
const stopWithinMs = 20_000;

/**
 * Starts a real PostgreSQL on `dataDir` for this process alone: a second one is refused with AlreadyRunningError. It ends
 * when this process does, even by SIGKILL, and the next start finds every acknowledged row.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  await mkdir(options.dataDir, { recursive: true });
  const dataDir = realpathSync(options.dataDir);
  const lock = await lockDataDir(dataDir);
  try {
    const binaries = await postgresBinaries();
    const cluster = await ensureCluster(dataDir, binaries);
    await awaitOldPostmaster(cluster.directory);
    const port = options.port ?? (await freePort());
    const server = spawnServer(binaries.postgres, cluster, port);
    const url = `postgres://postgres:${cluster.password}@127.0.0.1:${port}/postgres`;
    await ready(server, url);
    return {
      url,
      async stop() {
        await server.stop();
        await lock.release();
      },
    };
  } catch (error) {
    await lock.release();
    throw error;
  }
}

interface Server {
  exited: Promise<void>;
  lastWords(): string;
  stop(): Promise<void>;
}

function spawnServer(postgres: string, { directory }: Cluster, port: number): Server {
  const words = ['-D', directory, '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])];
  const { program, argumentsList, endsWithParent } = runAs(postgres, words, [directory]);
  // A process group of its own: Ctrl-C is for us, who then stop the server last.
  const child = spawn(program, argumentsList, { detached: true, stdio: ['ignore', 'ignore', 'pipe'], cwd: '/' });
  let lastWords = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    lastWords = (lastWords + text).slice(-4_000);
  });
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', (error) => {
      lastWords += error.message;
      resolve();
    });
  });
  const watcher = endsWithParent ? undefined : watchParent(child);
  return {
    exited,
    lastWords: () => lastWords.trim(),
    async stop() {
      child.kill('SIGINT');
      const timer = setTimeout(() => child.kill('SIGKILL'), stopWithinMs);
      await exited;
      clearTimeout(timer);
      watcher?.kill();
    },
  };
}

const settings = [
  'listen_addresses=127.0.0.1',
  // Their paths may be at most 107 bytes long, and data directories are not.
  'unix_socket_directories=',
  'max_connections=200',
  'shared_buffers=128MB',
  'logging_collector=off',
  'log_min_messages=fatal',
  'log_min_error_statement=panic',
];

/** Where there is no setpriv: a shell that reads a pipe from us tells the server when the pipe closes. */
function watchParent(server: ChildProcess): ChildProcess {
  const watcher = spawn('/bin/sh', ['-c', 'cat >/dev/null; kill -INT "$0"', String(server.pid)], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  watcher.unref();
  return watcher;
}

async function ready(server: Server, url: string): Promise<void> {
  let ended = false;
  void server.exited.then(() => {
    ended = true;
  });
  for (
    const end = Date.now() + readyWithinMs;
    Date.now() < end;
    await new Promise((resolve) => setTimeout(resolve, 20))
  ) {
    if (ended) throw new Error(`the embedded PostgreSQL did not start: ${server.lastWords()}`);
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
    try {
      await client.connect();
      return;
    } catch {
      // Not listening, or still recovering.
    } finally {
      await client.end().catch(() => undefined);
    }
  }
  await server.stop();
  throw new Error('the embedded PostgreSQL was not ready in time');
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
