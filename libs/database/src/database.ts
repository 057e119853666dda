import { isUuid, type ServiceName } from '@idsync/contracts';
import { farewell } from '@idsync/runtime';
import type { DataSource } from 'typeorm';
import { openDataSource } from './data-source.js';
import { connections } from './metrics.js';
import { serviceRoles } from './roles.js';
import { checkSchemaVersion, schemaAge } from './schema-version.js';
import { deadlockDetected, serializationFailure, sqlState } from './sql-state.js';

export interface DatabaseOptions {
  url: string;
  /** Whose role to work as. */
  service: ServiceName;
  /** Connections at the most; 10 unless told. */
  poolSize?: number;
  /** Milliseconds a statement may take; unless told 30 s for the gateway, since people wait for it, and five minutes for a batch. */
  statementTimeoutMs?: number;
}

/** One open transaction. */
export interface Transaction {
  query<Row = unknown>(sql: string, values?: readonly unknown[]): Promise<Row[]>;
  /** Runs once what the transaction says is true, and never if it is not: it must not throw. */
  afterCommit(run: () => void): void;
}

/** A hot read: `name` makes it a prepared statement of each connection. */
export interface NamedQuery {
  name: string;
  text: string;
  values: readonly unknown[];
}

interface PgClient {
  query(statement: string | Omit<NamedQuery, 'name'>): Promise<{ rows: unknown[] }>;
  release(error?: Error): void;
}

interface ListeningClient {
  on(event: 'notification', listener: (message: { payload?: string }) => void): void;
  on(event: 'error' | 'end', listener: () => void): void;
  removeAllListeners(event: 'notification'): void;
  query(statement: string): Promise<unknown>;
}

interface PgPool {
  readonly totalCount: number;
  readonly idleCount: number;
  readonly waitingCount: number;
  connect(): Promise<PgClient>;
}

const attempts = 5;
/** An answer that is no older says that PostgreSQL is there. */
const freshMs = 2_000;

/** A service's connections: its own role, so that PostgreSQL holds it to its grants and to one tenant at a time. */
export class Database {
  private readonly forgetPool: () => void;
  private answeredAt = Number.NEGATIVE_INFINITY;

  private constructor(
    private readonly dataSource: DataSource,
    readonly service: ServiceName,
  ) {
    this.forgetPool = connections.watch(() => {
      const { totalCount, idleCount, waitingCount } = this.pool;
      return Object.entries({ in_use: totalCount - idleCount, idle: idleCount, waiting: waitingCount }).map(
        ([state, value]) => ({ labels: { service, state }, value }),
      );
    });
  }

  /** Connects and checks that the schema is the one this code knows. Throws SchemaVersionError if not. */
  static async connect(options: DatabaseOptions): Promise<Database> {
    const dataSource = await openDataSource({
      url: options.url,
      role: serviceRoles[options.service],
      poolSize: options.poolSize ?? 10,
      statementTimeoutMs: options.statementTimeoutMs ?? (options.service === 'gateway' ? 30_000 : 300_000),
    });
    try {
      await checkSchemaVersion(dataSource);
    } catch (error) {
      await dataSource.destroy();
      throw error;
    }
    return new Database(dataSource, options.service);
  }

  /** The role every connection works as. */
  get role(): string {
    return serviceRoles[this.service];
  }

  async close(): Promise<void> {
    this.forgetPool();
    await farewell(this.dataSource.destroy(), 5_000);
  }

  /** How the schema is, by now, to the one this code was written for. */
  async schemaAge(): Promise<'older' | 'current' | 'newer'> {
    return schemaAge(this.dataSource);
  }

  /**
   * Rejects if PostgreSQL does not answer. What has answered a moment ago is not asked: the question would wait behind all who wait
   * for a connection, and who has much to do has not lost its database.
   */
  async ping(withinMs = freshMs): Promise<void> {
    if (performance.now() - this.answeredAt < withinMs) return;
    await this.transaction(undefined, (tx) => tx.query('select 1'));
  }

  /**
   * Runs `work` in one transaction that sees the rows of `tenantId` only, or, without one, the rows its service may see
   * across tenants. A deadlock or a serialization failure runs it again, five times at the most.
   */
  async transaction<T>(tenantId: string | undefined, work: (tx: Transaction) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.once(tenantId, work);
      } catch (error) {
        if (attempt >= attempts || !isRetryable(error)) throw error;
      }
    }
  }

  /** One read of one tenant: the three statements go out together and cost one round trip. */
  async read<Row>(tenantId: string, query: NamedQuery): Promise<Row[]> {
    const client = await this.pool.connect();
    try {
      const [, { rows }] = await Promise.all([
        client.query(`begin read only; ${setTenant(tenantId)}`),
        client.query(query),
        client.query('commit'),
      ]);
      this.answeredAt = performance.now();
      client.release();
      return rows as Row[];
    } catch (error) {
      // A connection in a failed transaction is not handed on.
      client.release(error instanceof Error ? error : new Error(String(error)));
      throw error;
    }
  }

  /**
   * Listens on a connection of its own. `onLost` is told once, if that connection ends by itself; listening again is then up
   * to the caller, as is ending it with what this resolves with.
   */
  async listen(channel: string, onNotify: (payload: string) => void, onLost: () => void): Promise<() => Promise<void>> {
    const runner = this.dataSource.createQueryRunner();
    const client: ListeningClient = await runner.connect();
    let over = false;
    let listening = false;
    const lost = () => {
      if (over) return;
      over = true;
      // A dead connection that is not given back would count against the pool for ever.
      void runner.release().catch(() => undefined);
      if (listening) onLost();
    };
    client.on('notification', (message) => onNotify(message.payload ?? ''));
    client.on('error', lost);
    client.on('end', lost);
    try {
      await client.query(`listen ${channel}`);
    } catch (error) {
      // Whoever is told by the failure is not told by `onLost` too, and listens again once.
      if (!over) await runner.release().catch(() => undefined);
      over = true;
      throw error;
    }
    listening = true;
    return async () => {
      if (over) return;
      over = true;
      client.removeAllListeners('notification');
      await client.query('unlisten *').catch(() => undefined);
      await runner.release();
    };
  }

  private async once<T>(tenantId: string | undefined, work: (tx: Transaction) => Promise<T>): Promise<T> {
    const client = await this.pool.connect();
    const committed: (() => void)[] = [];
    let broken: Error | undefined;
    try {
      // One round trip: transactions are small, and most name a tenant.
      await client.query(tenantId === undefined ? 'begin' : `begin; ${setTenant(tenantId)}`);
      const result = await work({
        query: async <Row>(text: string, values: readonly unknown[] = []) =>
          (await client.query({ text, values })).rows as Row[],
        afterCommit: (run) => committed.push(run),
      });
      await client.query('commit');
      this.answeredAt = performance.now();
      for (const run of committed) run();
      return result;
    } catch (error) {
      // A connection in a failed transaction is not handed on.
      await client.query('rollback').catch((failure: Error) => {
        broken = failure;
      });
      throw error;
    } finally {
      client.release(broken);
    }
  }

  private get pool(): PgPool {
    return (this.dataSource.driver as unknown as { master: PgPool }).master;
  }
}

/** The id is interpolated, since SET takes no parameters: nothing but a uuid may pass. */
function setTenant(tenantId: string): string {
  if (!isUuid(tenantId)) throw new TypeError('tenant id is not a uuid');
  return `set local idsync.tenant_id = '${tenantId}'`;
}

const retryable = new Set([serializationFailure, deadlockDetected]);

function isRetryable(error: unknown): boolean {
  return retryable.has(sqlState(error) ?? '');
}

/** From here to the end of the transaction, whoever waits longer for a lock fails with 55P03. */
export async function waitForLocksAtMost(tx: Transaction, milliseconds: number): Promise<void> {
  await tx.query(`set local lock_timeout = ${Math.trunc(milliseconds)}`);
}
