import { type ChildProcess, spawn } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Cluster } from './init-cluster.js';
import type { PostgresUser } from './run-as.js';
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
  // lz4 is not in every build.
  'wal_compression=on',
  'logging_collector=off',
  'log_min_messages=fatal',
  'log_min_error_statement=panic',
];

interface ServerOptions {
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

const waitMs = 30_000;
const pollMs = 50;

/**
 * Waits for a server that a killed process left shutting down, and removes a postmaster.pid whose process has ended or
 * is no PostgreSQL of this directory: PostgreSQL would mistake a reused pid for a running server.
 */
async function awaitOldPostmaster(directory: string): Promise<void> {
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
  if (!signal(pid, 0)) return false;
  // Without /proc, a living process is assumed to be this PostgreSQL.
  if (process.platform !== 'linux') return true;
  const commandLine = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
  return commandLine.includes(directory);
}

/** Returns false if the process has ended. */
function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}
