// SQL by hand: begin, settings and commit of a transaction, each in one round trip.
import { isUuid, type ServiceName } from '@idsync/contracts';
import type pg from 'pg';
import type { EntityManager } from 'typeorm';
import { ServiceDataSource, typeOrmOptions } from './data-source.js';
import type { Share } from './fair-shares.js';
import { listen } from './listen.js';
import { serviceRoles } from './roles.js';
import { checkSchemaVersion, schemaAge } from './schema/schema-version.js';
import { ServiceConnections } from './service-connections.js';
import { type NamedQuery, readOnce, readTexts, searchOnce, type TextRow } from './single-read.js';
import { deadlockDetected, failedTransaction, serializationFailure, sqlState } from './sql-state.js';

export type { NamedQuery } from './single-read.js';

export interface DatabaseOptions {
  url: string;
  /** The service whose role is used. */
  service: ServiceName;
  /** Maximum number of connections; default 10. */
  poolSize?: number;
  /**
   * Statement timeout in milliseconds. Default: 30 s for the gateway, which serves requests, five minutes for other
   * services.
   */
  statementTimeoutMs?: number;
  /**
   * Returns whose fair share of connections the current work of a tenant counts against; default the tenant's. Gateway
   * only.
   */
  shareOf?: (tenantId: string) => Share;
}

/** An open transaction, which sees only rows of its tenant. */
export interface Transaction {
  /** TypeORM's repositories on this transaction's connection. They never begin, commit or roll back by themselves. */
  readonly manager: EntityManager;
  query<Row = unknown>(sql: string, values?: readonly unknown[]): Promise<Row[]>;
  /** Runs the callback once after the commit, and not after a rollback. It must not throw. */
  afterCommit(run: () => void): void;
  /** Runs `work`, rolls back its changes and its `afterCommit` callbacks, and returns its result. */
  rolledBack<T>(work: () => Promise<T>): Promise<T>;
  /** Runs `work`. If it fails, rolls back only its changes and its `afterCommit` callbacks, and throws its error. */
  attempt<T>(work: () => Promise<T>): Promise<T>;
}

/** The first statement of a transaction, with its own timeout. */
interface BeginQuery {
  text: string;
  query_timeout: number;
}

const beginSnapshot = 'begin isolation level repeatable read read only';

/** Used by queries of index ranges; see `useIndexScans`. */
export const onlyIndexScans = 'set local enable_bitmapscan = off; set local enable_seqscan = off';

const attempts = 5;
/**
 * Shorter than the statement timeout: `begin` does no work, so a connection that has not answered it by then is dead.
 */
const beginTimeoutMs = 10_000;
const defaultPoolSize = 10;
/** An id that no tenant has. */
const noTenant = '00000000-0000-0000-0000-000000000000';
/** Maximum age of an answer that proves that PostgreSQL is available. */
const freshMs = 2_000;

/**
 * A service's connections. They use the service's own role, so that PostgreSQL enforces its grants and the isolation of
 * tenants.
 */
export class Database {
  readonly service: ServiceName;
  private readonly connections: ServiceConnections;
  private answeredAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly dataSource: ServiceDataSource,
    { service, poolSize = defaultPoolSize, shareOf = ownShare }: Omit<DatabaseOptions, 'url'>,
  ) {
    this.service = service;
    this.connections = new ServiceConnections(dataSource, { service, poolSize, shareOf });
  }

  /** Connects and checks that the schema is the one this code knows. Throws SchemaVersionError if not. */
  static async connect(options: DatabaseOptions): Promise<Database> {
    return new Database(await connectChecked(new ServiceDataSource(serviceDataSource(options))), options);
  }

  /** The role every connection works as. */
  get role(): string {
    return serviceRoles[this.service];
  }

  async close(): Promise<void> {
    this.onApplicationShutdown();
    await this.dataSource.destroy();
  }

  /** Called by Nest; TypeOrmModule closes the data source afterwards. */
  onApplicationShutdown(): void {
    this.connections.close();
  }

  /** Compares the current schema with the version that this code was written for. */
  async schemaAge(): Promise<'older' | 'current' | 'newer'> {
    return schemaAge(this.dataSource);
  }

  /**
   * Rejects if PostgreSQL does not answer. Sends no query after a recent answer, because the query would wait behind
   * all requests for a connection, and a busy database is not a lost one.
   */
  async ping(withinMs = freshMs): Promise<void> {
    if (performance.now() - this.answeredAt < withinMs) return;
    await this.withoutTenant((tx) => tx.query('select 1'));
  }

  /**
   * Runs `work` in a transaction that reads and writes only rows of `tenantId`. Retries after a deadlock or
   * serialization failure, with at most five attempts.
   */
  async transaction<T>(tenantId: string, work: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.run(tenantId, `begin; ${setTenant(tenantId)}`, work);
  }

  /**
   * Runs `work` in a transaction that reads only rows of `tenantId`; a statement that writes fails. All statements see the
   * same committed state, so that the total of a list belongs to its rows.
   */
  async readTransaction<T>(tenantId: string, work: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.run(tenantId, `${beginSnapshot}; ${setTenant(tenantId)}`, work);
  }

  /** Like `readTransaction`, but never repeated, so `work` may send what it reads. */
  async snapshot<T>(tenantId: string, work: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.once(tenantId, `${beginSnapshot}; ${setTenant(tenantId)}`, work);
  }

  /**
   * Searches the tables that `ownership.ts` opens to this service across tenants, in a read-only transaction. Rows that
   * are found must be written in a transaction of their tenant.
   */
  async acrossTenants<T>(search: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.run(undefined, 'begin read only', search);
  }

  /** Runs `work` in a transaction that sees rows of no tenant, for tables without tenants such as those of the bus. */
  async withoutTenant<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.run(undefined, `begin; ${setTenant(noTenant)}`, work);
  }

  /** Takes the connection from the tenant's fair share, if a tenant is given. */
  private async run<T>(tenantId: string | undefined, begin: string, work: (tx: Transaction) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.once(tenantId, begin, work);
      } catch (error) {
        if (attempt >= attempts || !isRetryable(error)) throw error;
      }
    }
  }

  /** Runs one read of index ranges for a tenant, in one round trip. */
  async read<Row>(tenantId: string, query: NamedQuery): Promise<Row[]> {
    checkTenant(tenantId);
    return this.single(tenantId, (client) => readOnce<Row>(client, tenantId, query));
  }

  /** Like `acrossTenants`, for one search of index ranges, in one round trip. */
  async readAcrossTenants<Row>(query: NamedQuery): Promise<Row[]> {
    return this.single(undefined, (client) => searchOnce<Row>(client, withTimeout(query)));
  }

  /** Like `read`, but returns the columns as PostgreSQL's texts, for documents that are passed on. */
  async readTexts(tenantId: string, query: NamedQuery): Promise<TextRow[]> {
    checkTenant(tenantId);
    return this.single(tenantId, (client) => readTexts(client, tenantId, query));
  }

  private async single<Row>(tenantId: string | undefined, run: (client: pg.Client) => Promise<Row[]>): Promise<Row[]> {
    const { client, release } = await this.connections.take(tenantId);
    try {
      const rows = await run(client);
      this.answeredAt = performance.now();
      release();
      return rows;
    } catch (error) {
      release(true);
      // The stack of a callback ends in the socket.
      if (error instanceof Error) Error.captureStackTrace(error);
      throw error;
    }
  }

  /**
   * Listens on a dedicated connection. Returns a function that stops listening. `onLost` is called once if the
   * connection is lost; the caller then decides whether to listen again.
   */
  async listen(channel: string, onNotify: (payload: string) => void, onLost: () => void): Promise<() => Promise<void>> {
    return listen(await this.connections.takeManaged(undefined), channel, onNotify, onLost);
  }

  private async once<T>(
    tenantId: string | undefined,
    begin: string,
    work: (tx: Transaction) => Promise<T>,
  ): Promise<T> {
    const { client, manager, release } = await this.connections.takeManaged(tenantId);
    const committed: (() => void)[] = [];
    let failure: unknown;
    let broken = false;
    try {
      // One round trip: transactions are small.
      await client.query(beginQuery(begin));
      const result = await work({
        manager,
        query: async <Row>(text: string, values: readonly unknown[] = []) => {
          try {
            return (await client.query({ text, values: [...values] })).rows as Row[];
          } catch (error) {
            // A statement that was sent behind the one that failed; callers decide by the cause.
            if (failure !== undefined && sqlState(error) === failedTransaction) throw failure;
            failure = error;
            throw error;
          }
        },
        afterCommit: (run) => committed.push(run),
        rolledBack: async <R>(trial: () => Promise<R>) => {
          const registered = committed.length;
          await client.query('savepoint trial');
          const found = await trial();
          await client.query('rollback to savepoint trial; release savepoint trial');
          committed.length = registered;
          return found;
        },
        attempt: async <R>(part: () => Promise<R>) => {
          const registered = committed.length;
          // Sent together with the first statement of the work, which fails too if this one does.
          const begun = client.query('savepoint attempt');
          begun.catch(() => undefined);
          try {
            const found = await part();
            await begun;
            await client.query('release savepoint attempt');
            return found;
          } catch (error) {
            await client.query('rollback to savepoint attempt; release savepoint attempt');
            committed.length = registered;
            throw error;
          }
        },
      });
      await client.query('commit');
      this.answeredAt = performance.now();
      for (const run of committed) run();
      return result;
    } catch (error) {
      await client.query('rollback').catch(() => {
        broken = true;
      });
      throw error;
    } finally {
      release(broken);
    }
  }
}

const ownShare = (tenantId: string): Share => ({ group: tenantId, member: tenantId });

/** TypeORM options of a service. */
export function serviceDataSource({ url, service, poolSize = defaultPoolSize, ...options }: DatabaseOptions) {
  const statementTimeoutMs = options.statementTimeoutMs ?? (service === 'gateway' ? 30_000 : 300_000);
  return typeOrmOptions({ url, role: serviceRoles[service], poolSize, statementTimeoutMs });
}

/** Connects and checks that the schema is the one this code knows. Throws SchemaVersionError if not. */
export async function connectChecked(dataSource: ServiceDataSource): Promise<ServiceDataSource> {
  await dataSource.initialize();
  try {
    await checkSchemaVersion(dataSource);
    return dataSource;
  } catch (error) {
    await dataSource.destroy();
    throw error;
  }
}

/** Searches are short, and detect a dead connection as `begin` does. */
function withTimeout(query: NamedQuery): NamedQuery {
  return { ...query, timeoutMs: beginTimeoutMs };
}

/** A firewall or a vanished host may have dropped a pooled connection silently, which shows at its next use. */
function beginQuery(text: string): BeginQuery {
  return { text, query_timeout: beginTimeoutMs };
}

/** SET takes no parameters, so the id is interpolated and must be a uuid. */
function setTenant(tenantId: string): string {
  checkTenant(tenantId);
  return `set local idsync.tenant_id = '${tenantId}'`;
}

function checkTenant(tenantId: string): void {
  if (!isUuid(tenantId)) throw new TypeError('tenant id is not a uuid');
}

const retryable = new Set([serializationFailure, deadlockDetected]);

/** True if `transaction` runs its work again after this error. */
export function isRetryable(error: unknown): boolean {
  return retryable.has(sqlState(error) ?? '');
}

/** Sets the lock timeout for the rest of the transaction. A longer wait fails with 55P03. */
export async function setLockTimeout(tx: Transaction, milliseconds: number): Promise<void> {
  await tx.query(`set local lock_timeout = ${Math.trunc(milliseconds)}`);
}
