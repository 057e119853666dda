// SQL by hand: the extension of the server, and settings.
import 'reflect-metadata';
import { closeWithin } from '@idsync/runtime';
import pg from 'pg';
import { type DataSourceOptions as AnyDataSourceOptions, DataSource } from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import { entities } from './entities/index.js';
import { migrations } from './migrations/index.js';
import { PostgresNamingStrategy } from './naming-strategy.js';
import { type OpenConnections, serviceClient } from './service-client.js';

export interface DataSourceOptions {
  url: string;
  /** `set role` of every connection. Without it, connections use the role of the login (migrations). */
  role?: string;
  poolSize: number;
  /** Statement timeout in milliseconds; 0 means no limit (migrations). */
  statementTimeoutMs?: number;
}

type PostgresOptions = Extract<AnyDataSourceOptions, { type: 'postgres' }>;

/** Maximum time to open a connection, and to wait for one. */
export const connectionWaitMs = 5_000;
/**
 * Added to the statement timeout: a PostgreSQL that has not cancelled the statement by then is unresponsive, and the
 * connection is closed.
 */
const graceMs = 5_000;

export const migrationsTable = 'idsync_migrations';

// Counters and sequences stay far below 2^53, so bigint columns are numbers here.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

const closeWithinMs = 5_000;

/** The DataSource of a service. Closing it waits at most five seconds for PostgreSQL. */
export class ServiceDataSource extends DataSource {
  readonly connections: OpenConnections;
  /** Whether the server is the coordinator of a Citus cluster; known once it is connected. */
  isDistributed = false;

  /** `variable`: where the address comes from. */
  constructor(
    options: PostgresOptions,
    private readonly variable = 'DATABASE_URL',
  ) {
    const connections = { count: 0, settings: '' };
    super({ ...options, extra: { ...options.extra, Client: serviceClient(connections) } });
    this.connections = connections;
  }

  /** Connects. An error names the variable and the server's address, but never the password. */
  override async initialize(): Promise<this> {
    try {
      await super.initialize();
    } catch (cause) {
      throw new Error(`${this.variable}: ${problemOf(cause as Failure, serverOf(this.options))}`, { cause });
    }
    await this.adaptToCitus();
    return this;
  }

  private async adaptToCitus(): Promise<void> {
    const text = "select exists (select from pg_extension where extname = 'citus') as exists";
    const [found] = await this.query<{ exists: boolean }[]>(text);
    if (!found?.exists) return;
    this.isDistributed = true;
    this.connections.settings = optionsOf(onCitus);
    // The connection that is open already.
    for (const [name, value] of Object.entries(onCitus)) await this.query(`set ${name} = ${value}`);
  }

  /**
   * Takes a client from the pool. Cheaper than a query runner, which only transactions with repositories need. The
   * function returns the client to the pool, or with true closes it.
   */
  takeClient(): Promise<[pg.Client, (broken?: boolean) => void]> {
    return (this.driver as PostgresDriver).obtainMasterConnection() as Promise<[pg.Client, (broken?: boolean) => void]>;
  }

  override async destroy(): Promise<void> {
    await closeWithin(super.destroy(), closeWithinMs);
  }
}

export async function openDataSource(settings: DataSourceOptions): Promise<ServiceDataSource> {
  return new ServiceDataSource(typeOrmOptions(settings)).initialize();
}

interface Failure {
  severity?: string;
  code?: string;
  syscall?: string;
  path?: string;
  message: string;
}

function problemOf({ severity, code, syscall, path, message }: Failure, server: string): string {
  // Only errors from PostgreSQL itself have a severity.
  if (severity) return `${server} rejected the connection: ${message}`;
  // Files such as `sslrootcert` are read before the connection is opened.
  if (syscall === 'open') return `cannot read ${path}: ${code}`;
  if (code?.startsWith('ERR_TLS') || /CERT|SIGNATURE/.test(code ?? '')) return `${server} is not trusted: ${message}`;
  return `cannot reach ${server}: ${code ?? message}`;
}

function serverOf(options: AnyDataSourceOptions): string {
  const { url = '' } = options as PostgresOptions;
  const { hostname, port, searchParams } = new URL(url);
  return `${hostname || searchParams.get('host') || 'localhost'}:${port || searchParams.get('port') || 5432}`;
}

export function typeOrmOptions({ url, role, poolSize, statementTimeoutMs = 0 }: DataSourceOptions): PostgresOptions {
  // Without a limit in PostgreSQL, the driver has none either.
  const driverTimeoutMs = statementTimeoutMs === 0 ? 0 : statementTimeoutMs + graceMs;
  return {
    type: 'postgres',
    // Named, because TypeORM would look for the package in node_modules, which a bundled program does not have.
    driver: pg,
    url,
    entities,
    migrations,
    migrationsTableName: migrationsTable,
    namingStrategy: new PostgresNamingStrategy(),
    uuidExtension: 'pgcrypto',
    installExtensions: false,
    poolSize,
    applicationName: role ?? 'idsync_migrate',
    connectTimeoutMS: connectionWaitMs,
    // The pool replaces a broken idle connection; the next query fails if the server is really unavailable.
    poolErrorHandler: () => undefined,
    extra: {
      // Sends queries without waiting for the results of earlier ones.
      pipeline: true,
      // Detects a vanished host after twenty seconds instead of two hours.
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
      ...(role === undefined
        ? {}
        : { options: sessionSettings(role, statementTimeoutMs), query_timeout: driverTimeoutMs }),
    },
  };
}

/**
 * Limits statements and idle transactions, so that a stalled process does not hold its locks permanently. The TCP
 * settings free the connections and locks of a vanished host after a minute, instead of the two hours of most systems.
 * JIT is off because missing statistics made PostgreSQL compile lookups for 20 to 40 ms each. Plans do not depend on
 * values, because PostgreSQL expects no rows of a tenant or source that the statistics do not know yet.
 */
function sessionSettings(role: string, statementTimeoutMs: number): string {
  const settings = {
    role,
    jit: 'off',
    plan_cache_mode: 'force_generic_plan',
    statement_timeout: statementTimeoutMs,
    idle_in_transaction_session_timeout: 60_000,
    tcp_keepalives_idle: 30,
    tcp_keepalives_interval: 10,
    tcp_keepalives_count: 3,
    tcp_user_timeout: 60_000,
  };
  return optionsOf(settings);
}

/**
 * A plan without values does not say which node has the tenant, and crashes a coordinator; nodes plan without values.
 * By default, Citus does not pass on the tenant of a transaction.
 */
const onCitus = { plan_cache_mode: 'auto', 'citus.propagate_set_commands': 'local' };

function optionsOf(settings: Record<string, unknown>): string {
  return Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ');
}
