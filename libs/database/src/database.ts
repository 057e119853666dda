// SQL by hand: how transactions begin, with their settings.
import { setTimeout } from 'node:timers/promises';
import { installationId, isUuid, type ServiceName } from '@idsync/contracts';
import { ServiceDataSource, typeOrmOptions } from './data-source.js';
import type { Share } from './fair-shares.js';
import { Listener } from './listener.js';
import { OftenUsed } from './often-used.js';
import { ReadReplica, type ReplicaWork } from './read-replica.js';
import { serviceRoles } from './roles.js';
import {
  type AnnounceEvents,
  beginTimeoutMs,
  runTransaction,
  type Transaction,
  type TransactionOptions,
} from './run-transaction.js';
import { checkSchemaVersion, schemaAge } from './schema/schema-version.js';
import { ServiceConnections } from './service-connections.js';
import { asTexts, type NamedQuery, runOnce, type TextRow } from './single-statement.js';
import { changedResult, deadlockDetected, isUnavailable, serializationFailure, sqlState } from './sql-state.js';

export type { AnnounceEvents, Transaction } from './run-transaction.js';
export type { NamedQuery } from './single-statement.js';

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
  /** A streaming replica that serves reads of tenants. */
  readUrl?: string;
  /** Called with the problem when the replica fails, and with undefined when it is used again. */
  onReplicaChange?: (problem: unknown) => void;
}

const beginSnapshot = 'begin isolation level repeatable read read only';

/** Used by queries of index ranges; see `useIndexScans`. */
export const onlyIndexScans = 'set local enable_bitmapscan = off; set local enable_seqscan = off';
const acrossTenants = 'set local idsync.across_tenants = on';

type Beginning = Pick<TransactionOptions<unknown>, 'begin' | 'often'>;

/** A restart of PostgreSQL takes this long. Shorter than the time in which a service that starts must be able to stop. */
const startGraceMs = 20_000;
const startPauseMs = 500;
const attempts = 5;
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
  /** Called after each commit of events, by a bus that announces them itself; without it, PostgreSQL notifies. */
  announceEvents: AnnounceEvents | undefined;
  private readonly connections: ServiceConnections;
  private readonly replica: ReadReplica | undefined;
  private readonly often = new OftenUsed();
  private readonly listener = new Listener(() => this.connections.takeManaged(undefined));
  private answeredAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly dataSource: ServiceDataSource,
    { service, poolSize = defaultPoolSize, shareOf = ownShare, readUrl, ...options }: Omit<DatabaseOptions, 'url'>,
  ) {
    this.service = service;
    this.connections = new ServiceConnections(dataSource, { service, poolSize, shareOf });
    if (readUrl === undefined) return;
    this.replica = new ReadReplica({
      url: readUrl,
      service,
      poolSize,
      shareOf,
      role: this.role,
      statementTimeoutMs: options.statementTimeoutMs ?? defaultTimeoutMs(service),
      primaryPosition: () => this.walPosition(),
      onChange: options.onReplicaChange,
    });
    this.replica.open().catch(() => undefined);
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
    await this.onApplicationShutdown();
    await this.dataSource.destroy();
  }

  /** Called by Nest; TypeOrmModule closes the data source of the primary afterwards. */
  async onApplicationShutdown(): Promise<void> {
    this.connections.close();
    await this.replica?.close();
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
   * Runs `work` in a transaction that reads and writes only rows of `tenantId`. Retries after a deadlock, a serialization
   * failure, or a change of a table, with at most five attempts.
   */
  async transaction<T>(tenantId: string, work: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.run(tenantId, { begin: this.begin('begin', setTenant(tenantId)), often: this.often }, work);
  }

  /**
   * Runs `work` in a transaction that reads only rows of `tenantId`; a statement that writes fails. All statements see the
   * same committed state, so that the total of a list belongs to its rows. It may run on the read replica.
   */
  async readTransaction<T>(tenantId: string, work: (tx: Transaction) => Promise<T>): Promise<T> {
    const begin = this.begin(beginSnapshot, setTenant(tenantId));
    const read = await this.onReplica(tenantId, (connection, onBroken) =>
      runTransaction(connection, { tenantId, begin, work, onBroken }),
    );
    return read ? read.result : this.run(tenantId, { begin }, work);
  }

  /** Like `readTransaction`, but never repeated, so `work` may send what it reads. */
  async snapshot<T>(tenantId: string, work: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.once(tenantId, { begin: this.begin(beginSnapshot, setTenant(tenantId)) }, work);
  }

  /**
   * Runs `work` in a transaction that sees one committed state and is rolled back. It may begin with writes to temporary
   * tables.
   */
  async trial<T>(tenantId: string, work: (tx: Transaction) => Promise<T>): Promise<T> {
    const begin = this.begin('begin isolation level repeatable read', setTenant(tenantId));
    // Statements are not prepared, because a prepared one does not see a temporary table that was created later.
    return this.run(tenantId, { begin }, (tx) => tx.rolledBack(() => work(tx)));
  }

  /**
   * Searches the tables that `ownership.ts` opens to this service across tenants, in a read-only transaction. Rows that
   * are found must be written in a transaction of their tenant.
   */
  async acrossTenants<T>(search: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.run(undefined, { begin: this.begin('begin read only', acrossTenants) }, search);
  }

  /** Runs `work` in a transaction that sees rows of no tenant, for tables without tenants such as those of the bus. */
  async withoutTenant<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.run(undefined, { begin: this.begin('begin', setTenant(noTenant)), often: this.often }, work);
  }

  /** Takes the connection from the tenant's fair share, if a tenant is given. */
  private async run<T>(
    tenantId: string | undefined,
    beginning: Beginning,
    work: (tx: Transaction) => Promise<T>,
  ): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.once(tenantId, beginning, work);
      } catch (error) {
        if (attempt >= attempts || !isRetryable(error)) throw error;
      }
    }
  }

  /** Runs one read of index ranges for a tenant, in one round trip. It may run on the read replica. */
  async read<Row>(tenantId: string, query: NamedQuery): Promise<Row[]> {
    return this.singleRead<Row>(tenantId, query);
  }

  /** Like `read`, but returns the columns as PostgreSQL's texts, for documents that are passed on. */
  async readTexts(tenantId: string, query: NamedQuery): Promise<TextRow[]> {
    return this.singleRead<TextRow>(tenantId, query, asTexts);
  }

  private async singleRead<Row>(tenantId: string, query: NamedQuery, form?: typeof asTexts): Promise<Row[]> {
    const inOrder = query.isInIndexOrder ? ['set local enable_sort = off'] : [];
    const begin = this.beginRead(...inOrder, setTenant(tenantId));
    const onReplica: ReplicaWork<Row[]> = async ({ client }, onBroken) => {
      try {
        return await runOnce<Row>(client, begin, query, form);
      } catch (error) {
        onBroken();
        throw error;
      }
    };
    const read = query.isOnPrimary ? undefined : await this.onReplica(tenantId, onReplica);
    return read ? read.result : this.single(tenantId, begin, query, form);
  }

  /** Like `acrossTenants`, for one search of index ranges, in one round trip. */
  async readAcrossTenants<Row>(query: NamedQuery): Promise<Row[]> {
    return this.single(undefined, this.beginRead(acrossTenants), withTimeout(query));
  }

  /**
   * Like `withoutTenant`, for one statement, in one round trip. It is not repeated, and if the connection is lost, it may
   * have been committed.
   */
  async writeWithoutTenant<Row>(query: NamedQuery): Promise<Row[]> {
    return this.single(undefined, this.begin('begin', setTenant(noTenant)), withTimeout(query));
  }

  /** Like `writeWithoutTenant`, for rows of a tenant. */
  async write<Row>(tenantId: string, query: NamedQuery): Promise<Row[]> {
    return this.single(tenantId, this.begin('begin', setTenant(tenantId)), withTimeout(query));
  }

  /** Returns the texts that begin a transaction. Citus would pass on `begin` with a setting of the same text. */
  private begin(how: string, ...settings: readonly string[]): readonly string[] {
    const set = settings.join('; ');
    return this.dataSource.isDistributed ? [how, set] : [`${how}; ${set}`];
  }

  private beginRead(...settings: readonly string[]): readonly string[] {
    return this.begin('begin read only', onlyIndexScans, ...settings);
  }

  /** Returns undefined if the primary must run the read. Tokens and the like, which belong to no tenant, are not read there. */
  private async onReplica<T>(tenantId: string, work: ReplicaWork<T>): Promise<{ result: T } | undefined> {
    return tenantId === installationId ? undefined : this.replica?.read(tenantId, work);
  }

  /** Everything that was committed before this call is at or below the position, unless commits are asynchronous. */
  private async walPosition(): Promise<string> {
    const text = 'select pg_current_wal_flush_lsn()::text as position';
    const [row] = await this.readAcrossTenants<{ position: string }>({ name: 'wal-position', text, values: [] });
    return row?.position ?? '';
  }

  private async single<Row>(
    tenantId: string | undefined,
    begin: readonly string[],
    query: NamedQuery,
    form?: typeof asTexts,
  ): Promise<Row[]> {
    const { client, release } = await this.connections.take(tenantId);
    try {
      const rows = await runOnce<Row>(client, begin, query, form);
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
   * Listens to a channel, on one connection for all channels, which is opened again when it is lost. Returns a function
   * that stops listening. `onListening` is called whenever listening has begun, because earlier notifications are lost.
   */
  listen(channel: string, onNotify: (payload: string) => void, onListening: () => void): () => Promise<void> {
    return this.listener.listen(channel, onNotify, onListening);
  }

  private async once<T>(
    tenantId: string | undefined,
    beginning: Beginning,
    work: (tx: Transaction) => Promise<T>,
  ): Promise<T> {
    const connection = await this.connections.takeManaged(tenantId);
    let broken = false;
    try {
      const onBroken = () => {
        broken = true;
      };
      const result = await runTransaction(connection, {
        ...beginning,
        tenantId: tenantId ?? noTenant,
        announceEvents: this.announceEvents,
        work,
        onBroken,
      });
      this.answeredAt = performance.now();
      return result;
    } finally {
      connection.release(broken);
    }
  }
}

const ownShare = (tenantId: string): Share => ({ group: tenantId, member: tenantId });

/** TypeORM options of a service. */
export function serviceDataSource({ url, service, poolSize = defaultPoolSize, ...options }: DatabaseOptions) {
  const statementTimeoutMs = options.statementTimeoutMs ?? defaultTimeoutMs(service);
  return typeOrmOptions({ url, role: serviceRoles[service], poolSize, statementTimeoutMs });
}

function defaultTimeoutMs(service: ServiceName): number {
  return service === 'gateway' ? 30_000 : 300_000;
}

/**
 * Connects and checks that the schema is the one this code knows. Waits up to 20 s for a PostgreSQL that is not available.
 * Throws SchemaVersionError for another schema.
 */
export async function connectChecked(
  dataSource: ServiceDataSource,
  warn: (message: string) => void = () => undefined,
): Promise<ServiceDataSource> {
  const until = performance.now() + startGraceMs;
  for (let attempt = 1; ; attempt += 1, await setTimeout(startPauseMs)) {
    try {
      await dataSource.initialize();
      await checkSchemaVersion(dataSource);
      return dataSource;
    } catch (error) {
      if (dataSource.isInitialized) await dataSource.destroy();
      const mayRecover = isUnavailable(error) || isUnavailable((error as Error).cause);
      if (!mayRecover || performance.now() > until) throw error;
      if (attempt === 1) warn(`${(error as Error).message}; waits up to ${startGraceMs / 1_000} s`);
    }
  }
}

/** Searches are short, and detect a dead connection as `begin` does. */
function withTimeout(query: NamedQuery): NamedQuery {
  return { ...query, timeoutMs: beginTimeoutMs };
}

/** SET takes no parameters, so the id is interpolated and must be a uuid. Unlike `set_config`, Citus passes it on. */
export function setTenant(tenantId: string): string {
  if (!isUuid(tenantId)) throw new TypeError('tenant id is not a uuid');
  return `set local idsync.tenant_id = '${tenantId}'`;
}

const retryable = new Set([serializationFailure, deadlockDetected, changedResult]);

/** True if `transaction` runs its work again after this error. */
export function isRetryable(error: unknown): boolean {
  return retryable.has(sqlState(error) ?? '');
}

/** Sets the lock timeout for the rest of the transaction. A longer wait fails with 55P03. */
export async function setLockTimeout(tx: Transaction, milliseconds: number): Promise<void> {
  await tx.query(`set local lock_timeout = ${Math.trunc(milliseconds)}`);
}
