// SQL by hand: positions in the write-ahead log.
import { setTimeout as sleep } from 'node:timers/promises';
import { SharedReads } from '@idsync/runtime';
import type pg from 'pg';
import { ServiceDataSource, typeOrmOptions } from './data-source.js';
import { DatabaseBusy } from './fair-shares.js';
import { replicaReads } from './metrics.js';
import { type ManagedConnection, ServiceConnections, type ServiceConnectionsOptions } from './service-connections.js';
import { isUnavailable } from './sql-state.js';

export interface ReadReplicaOptions extends ServiceConnectionsOptions {
  url: string;
  role: string;
  statementTimeoutMs: number;
  /** Reads the position of the primary: all that was committed before is at or below it. */
  primaryPosition: () => Promise<string>;
  /** Called with the problem when the replica fails, and with undefined when it is used again. */
  onChange?: (problem: unknown) => void;
}

/** A read on a connection of the replica. `onBroken`: the connection must be closed. */
export type ReplicaWork<T> = (connection: ManagedConnection, onBroken: () => void) => Promise<T>;

/** How long a read waits until the replica has what the primary had when the read began. */
const waitMs = 100;
const pollMs = 2;
/** Also bounds how long a read waits for a replica that does not answer at all. */
const answerMs = 1_000;
/** After a failure, one read in this time tries the replica again; the others use the primary at once. */
const pauseMs = 1_000;

const variable = 'DATABASE_READ_URL';

/** The replica has not yet replayed what the read must see. */
class ReplicaBehind extends Error {
  override readonly name = 'ReplicaBehind';
}

/** The replica cannot be reached, or is none; `cause` says why. */
class ReplicaFailed extends Error {
  override readonly name = 'ReplicaFailed';
}

/**
 * A streaming replica of PostgreSQL for reads of tenants. A read there sees everything that was committed before it
 * began, by whichever process, as on the primary: it waits until the connection's server has replayed the position that
 * the primary had. Several replicas behind one address therefore work too.
 */
export class ReadReplica {
  private readonly positions: SharedReads<string>;
  private readonly dataSource: ServiceDataSource;
  private readonly connections: ServiceConnections;
  private opened: Promise<unknown> | undefined;
  private pausedUntil = 0;
  private isUsed = false;
  private hasFailed = false;

  constructor(private readonly options: ReadReplicaOptions) {
    const { url, role, poolSize, statementTimeoutMs, primaryPosition } = options;
    this.positions = new SharedReads(primaryPosition);
    const settings = typeOrmOptions({ url, role, poolSize, statementTimeoutMs });
    this.dataSource = new ServiceDataSource({ ...settings, connectTimeoutMS: answerMs }, variable);
    this.connections = new ServiceConnections(this.dataSource, { ...options, server: 'replica' });
    for (const outcome of ['read', 'behind', 'failed', 'paused']) replicaReads.startAtZero({ outcome });
  }

  /**
   * Runs a read on the replica. Returns undefined if the primary must run it: the replica is behind, cannot be reached,
   * or cancelled the read, because it conflicted with what was replayed.
   */
  async read<T>(tenantId: string, work: ReplicaWork<T>): Promise<{ result: T } | undefined> {
    const now = performance.now();
    if (now < this.pausedUntil) {
      replicaReads.add({ outcome: 'paused' });
      return undefined;
    }
    // One read tries it; the others need not wait for the outcome.
    if (!this.isUsed) this.pausedUntil = now + pauseMs;
    try {
      const result = await this.readCurrent(tenantId, work);
      replicaReads.add({ outcome: 'read' });
      return { result };
    } catch (error) {
      const isBehind = error instanceof ReplicaBehind;
      if (!isBehind && !(error instanceof ReplicaFailed)) throw error;
      replicaReads.add({ outcome: isBehind ? 'behind' : 'failed' });
      this.pausedUntil = performance.now() + pauseMs;
      this.isUsed = false;
      if (!isBehind) this.note(true, error.cause);
      return undefined;
    }
  }

  /** Connects ahead of the first read. A failure is one of the read. */
  async open(): Promise<void> {
    if (this.dataSource.isInitialized) return;
    this.opened ??= this.dataSource.initialize().finally(() => {
      this.opened = undefined;
    });
    await this.opened;
  }

  async close(): Promise<void> {
    this.connections.close();
    await this.opened?.catch(() => undefined);
    if (this.dataSource.isInitialized) await this.dataSource.destroy();
  }

  private async readCurrent<T>(tenantId: string, work: ReplicaWork<T>): Promise<T> {
    const needed = this.positions.get('primary');
    // Awaited below, after what may fail first.
    needed.catch(() => undefined);
    const connection = await this.connect(tenantId);
    let isBroken = false;
    try {
      const position = await needed;
      await reach(connection.client, position).catch((error: unknown) => {
        isBroken = !(error instanceof ReplicaBehind);
        throw error;
      });
      this.isUsed = true;
      this.pausedUntil = 0;
      this.note(false);
      return await work(connection, () => {
        isBroken = true;
      }).catch((cause: unknown) => {
        throw isUnavailable(cause) ? new ReplicaFailed(variable, { cause }) : cause;
      });
    } finally {
      connection.release(isBroken);
    }
  }

  private async connect(tenantId: string): Promise<ManagedConnection> {
    try {
      await this.open();
      return await this.connections.takeManaged(tenantId);
    } catch (cause) {
      // The tenant has all its connections there; on the primary, it would have twice as many.
      if (cause instanceof DatabaseBusy) throw cause;
      throw new ReplicaFailed(variable, { cause });
    }
  }

  /** Reports a change only: a replica that is behind now and then is no problem. */
  private note(hasFailed: boolean, problem?: unknown): void {
    if (this.hasFailed === hasFailed) return;
    this.hasFailed = hasFailed;
    this.options.onChange?.(problem);
  }
}

/** Waits until the server of this connection has replayed a position. Throws ReplicaBehind or ReplicaFailed. */
async function reach(client: pg.Client, position: string): Promise<void> {
  const until = performance.now() + waitMs;
  for (;;) {
    const { isReplica, isReached } = await progress(client, position);
    if (!isReplica) throw new ReplicaFailed(variable, { cause: new Error(`${variable} is no replica`) });
    if (isReached) return;
    if (performance.now() >= until) throw new ReplicaBehind();
    await sleep(pollMs);
  }
}

/** A server that was promoted is no replica: its position says nothing about the primary of this service. */
async function progress(
  client: pg.Client,
  position: string,
): Promise<{ isReplica: boolean; isReached: boolean | null }> {
  const text = `select pg_is_in_recovery() as "isReplica", pg_last_wal_replay_lsn() >= $1::pg_lsn as "isReached"`;
  const query = { name: 'replica-position', text, values: [position], query_timeout: answerMs };
  try {
    const { rows } = await client.query(query);
    return rows[0];
  } catch (cause) {
    throw new ReplicaFailed(variable, { cause });
  }
}
