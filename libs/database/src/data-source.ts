import 'reflect-metadata';
import pg from 'pg';
import { DataSource } from 'typeorm';
import { entities } from './entities/index.js';
import { migrations } from './migrations/index.js';

export interface DataSourceOptions {
  url: string;
  /** `set role` of every connection; the login's own role if absent (migrations). */
  role?: string;
  poolSize: number;
  /** Milliseconds a statement may take; no limit if absent (migrations). */
  statementTimeoutMs?: number;
}

/** A PostgreSQL that has not even refused a statement so long after its time does not answer any more: its connection is cut. */
const graceMs = 5_000;

export const migrationsTable = 'idsync_migrations';

// Counters and sequences stay far below 2^53, so bigint columns are numbers here.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

/**
 * A connection that PostgreSQL ends says so by an event; unheard, that would end the process. The pool listens to idle ones
 * only, and whoever takes one comes a moment too late if its end arrives with its greeting.
 */
class HeardClient extends pg.Client {
  constructor(config?: pg.ClientConfig) {
    super(config);
    this.on('error', () => undefined);
  }
}

/** Connects. What stops it is told with the variable's name and the server's address, never with the password. */
export async function openDataSource(options: DataSourceOptions): Promise<DataSource> {
  const server = serverOf(options.url);
  try {
    return await createDataSource(options).initialize();
  } catch (cause) {
    throw new Error(`DATABASE_URL: ${problemOf(cause as Failure, server)}`, { cause });
  }
}

interface Failure {
  severity?: string;
  code?: string;
  syscall?: string;
  path?: string;
  message: string;
}

function problemOf({ severity, code, syscall, path, message }: Failure, server: string): string {
  // Only PostgreSQL itself tells how severe it is.
  if (severity) return `${server} refuses: ${message}`;
  // The authority of `sslrootcert` and the like are read before anybody is called.
  if (syscall === 'open') return `cannot read ${path}: ${code}`;
  if (code?.startsWith('ERR_TLS') || /CERT|SIGNATURE/.test(code ?? '')) return `${server} is not trusted: ${message}`;
  return `cannot reach ${server}: ${code ?? message}`;
}

function serverOf(url: string): string {
  const { hostname, port, searchParams } = new URL(url);
  return `${hostname || searchParams.get('host') || 'localhost'}:${port || searchParams.get('port') || 5432}`;
}

function createDataSource({ url, role, poolSize, statementTimeoutMs = 0 }: DataSourceOptions): DataSource {
  return new DataSource({
    type: 'postgres',
    url,
    entities,
    migrations,
    migrationsTableName: migrationsTable,
    uuidExtension: 'pgcrypto',
    installExtensions: false,
    poolSize,
    applicationName: role ?? 'idsync_migrate',
    connectTimeoutMS: 5_000,
    // A broken idle connection is replaced by the pool; the next query says so if the server is really gone.
    poolErrorHandler: () => undefined,
    extra: {
      Client: HeardClient,
      // What is asked without waiting for an answer goes out at once.
      pipeline: true,
      // A machine that vanished is noticed after twenty seconds instead of two hours.
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
      ...(role === undefined
        ? {}
        : { options: sessionSettings(role, statementTimeoutMs), query_timeout: statementTimeoutMs + graceMs }),
    },
  });
}

/**
 * A stopped process must not hold its locks for ever, nor a statement run for ever. Look-ups are never worth compiling: where a
 * table was not analysed yet, their guessed cost made PostgreSQL compile each for 20 to 40 ms.
 */
function sessionSettings(role: string, statementTimeoutMs: number): string {
  const settings = {
    role,
    jit: 'off',
    statement_timeout: statementTimeoutMs,
    idle_in_transaction_session_timeout: 60_000,
  };
  return Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ');
}
