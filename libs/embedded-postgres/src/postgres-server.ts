import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Cluster } from './init-cluster.js';
import { awaitOldPostmaster } from './old-postmaster.js';
import type { PostgresUser } from './postgres-user.js';
import { cleanEnvironment, runAs } from './run-as.js';

/** Crash recovery can take a while with a large write-ahead log. */
const readyWithinMs = 120_000;
const stopWithinMs = 20_000;

const settings = [
  'listen_addresses=127.0.0.1',
  // Socket paths may have at most 107 bytes, and data directories can be longer.
  'unix_socket_directories=',
  'max_connections=200',
  'shared_buffers=128MB',
  'logging_collector=off',
  'log_min_messages=fatal',
  'log_min_error_statement=panic',
];

export interface ServerOptions {
  /** The program `postgres`. */
  postgres: string;
  cluster: Cluster;
  port: number;
  user: PostgresUser | undefined;
}

/** A running postmaster. */
export interface Server {
  /** Resolves with the last log lines when the process has ended. */
  exited: Promise<string>;
  stop(): Promise<void>;
}

/** Returns the administrator's address. */
export function addressOf({ cluster, port }: ServerOptions): string {
  return `postgres://postgres:${cluster.password}@127.0.0.1:${port}/postgres`;
}

/**
 * Starts PostgreSQL on its cluster and waits until it accepts queries. Throws an error with its last log lines if it
 * fails.
 */
export async function startServer(options: ServerOptions): Promise<Server> {
  await awaitOldPostmaster(options.cluster.directory);
  const server = spawnServer(options);
  await ready(server, addressOf(options));
  return server;
}

function spawnServer({ postgres, cluster: { directory }, port, user }: ServerOptions): Server {
  const words = ['-D', directory, '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])];
  const { program, argumentsList, endsWithParent } = runAs(postgres, words, [directory], user);
  // Its own process group: Ctrl-C reaches this process, which stops the server last.
  const child = spawn(program, argumentsList, {
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
    cwd: '/',
    env: cleanEnvironment,
  });
  let lastOutput = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    lastOutput = (lastOutput + text).slice(-4_000);
  });
  const exited = new Promise<string>((resolve) => {
    child.once('exit', () => resolve(lastOutput.trim()));
    child.once('error', (error) => resolve(`${lastOutput}${error.message}`));
  });
  const watcher = endsWithParent ? undefined : watchParent(child);
  return {
    exited: exited.finally(() => watcher?.kill()),
    async stop() {
      child.kill('SIGINT');
      const timer = setTimeout(() => child.kill('SIGKILL'), stopWithinMs);
      await exited;
      clearTimeout(timer);
    },
  };
}

/** Without setpriv, a shell reads a pipe from this process and interrupts the server when the pipe closes. */
function watchParent(server: ChildProcess): ChildProcess {
  const watcher = spawn('/bin/sh', ['-c', 'cat >/dev/null; kill -INT "$0"', String(server.pid)], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  watcher.unref();
  return watcher;
}

async function ready(server: Server, url: string): Promise<void> {
  let exit: string | undefined;
  void server.exited.then((lastOutput) => {
    exit = lastOutput;
  });
  for (const end = Date.now() + readyWithinMs; Date.now() < end; await sleep(20)) {
    if (exit !== undefined) throw new Error(`the embedded PostgreSQL did not start: ${exit}`);
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
  throw new Error(`the embedded PostgreSQL was not ready within ${readyWithinMs / 1_000} s`);
}
