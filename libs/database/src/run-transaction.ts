// SQL by hand: begin, savepoints and commit.
import type { EntityManager } from 'typeorm';
import type { OftenUsed } from './often-used.js';
import type { ManagedConnection } from './service-connections.js';
import { changedResult, failedTransaction, notPrepared, sqlState } from './sql-state.js';

/** An open transaction, which sees only rows of its tenant. */
export interface Transaction {
  /** The tenant whose rows it sees. Every statement names it for each table, as the first column of its keys. */
  readonly tenantId: string;
  /** TypeORM's repositories on this transaction's connection. Their own transactions are savepoints of it. */
  readonly manager: EntityManager;
  query<Row = unknown>(sql: string, values?: readonly unknown[]): Promise<Row[]>;
  /** Returns the first row. */
  row<Row>(sql: string, values?: readonly unknown[]): Promise<Row | undefined>;
  /** Returns the column `id`. */
  ids(sql: string, values?: readonly unknown[]): Promise<string[]>;
  /** Returns the column `count` of the first row, or 0. */
  count(sql: string, values?: readonly unknown[]): Promise<number>;
  /** Returns whether there is a row. */
  any(sql: string, values?: readonly unknown[]): Promise<boolean>;
  /** Runs the callback once after the commit, and not after a rollback. It must not throw. */
  afterCommit(run: () => void): void;
  /** See `Database.announceEvents`. */
  readonly announceEvents: AnnounceEvents | undefined;
  /** Runs `work`, rolls back its changes and its `afterCommit` callbacks, and returns its result. */
  rolledBack<T>(work: () => Promise<T>): Promise<T>;
  /** Runs `work`. If it fails, rolls back only its changes and its `afterCommit` callbacks, and throws its error. */
  attempt<T>(work: () => Promise<T>): Promise<T>;
}

/** Announces to other processes that events of a tenant were committed, up to this sequence. It must not throw. */
export type AnnounceEvents = (tenantId: string, lastSequence: number) => void;

/** The first statement of a transaction, with its own timeout. */
interface BeginQuery {
  text: string;
  query_timeout: number;
}

/**
 * Shorter than the statement timeout: `begin` does no work, so a connection that has not answered it by then is dead.
 */
export const beginTimeoutMs = 10_000;

/** States of statements after one that failed; the second if the one that failed should have prepared them. */
const followsFailure = new Set([failedTransaction, notPrepared]);

export interface TransactionOptions<T> {
  tenantId: string;
  /** Begin the transaction and set its tenant. */
  begin: readonly string[];
  work: (tx: Transaction) => Promise<T>;
  /** Called if the transaction could not be rolled back, so that the connection must be closed. */
  onBroken: () => void;
  /** Statements to prepare; absent for reads, whose plans depend on which filters have a value. */
  often?: OftenUsed;
  announceEvents?: AnnounceEvents | undefined;
}

/** Runs `work` in a transaction of a connection. Rolls back after an error. */
export async function runTransaction<T>(
  { client, manager }: ManagedConnection,
  { tenantId, begin, work, onBroken, often, announceEvents }: TransactionOptions<T>,
): Promise<T> {
  const committed: (() => void)[] = [];
  let failure: unknown;
  let hasEnded = false;
  /** After the work, a statement would be sent behind the commit, or in the transaction of another tenant. */
  const requireOpen = () => {
    if (hasEnded) throw new Error('the transaction has ended: a statement was not awaited');
  };
  const query = async <Row>(text: string, values: readonly unknown[] = []) => {
    requireOpen();
    // Without values, a text may contain several statements.
    const name = values.length > 0 ? often?.nameOf(text) : undefined;
    try {
      return (await client.query({ text, values: [...values], ...(name && { name }) })).rows as Row[];
    } catch (error) {
      // A statement that was sent behind the one that failed; callers decide by the cause.
      if (failure !== undefined && followsFailure.has(sqlState(error) ?? '')) throw failure;
      failure = error;
      if (name !== undefined && sqlState(error) === changedResult) often?.rename(text);
      throw error;
    }
  };
  // Sent together with the first statement of the work, which fails too if this one does.
  const begun = Promise.all(begin.map((text) => client.query(beginQuery(text))));
  begun.catch(() => undefined);
  try {
    const result = await work({
      tenantId,
      manager,
      announceEvents,
      query,
      row: async <Row>(text: string, values?: readonly unknown[]) => (await query<Row>(text, values))[0],
      ids: async (text, values) => (await query<{ id: string }>(text, values)).map(({ id }) => id),
      count: async (text, values) => (await query<{ count: number }>(text, values))[0]?.count ?? 0,
      any: async (text, values) => (await query(text, values)).length > 0,
      afterCommit: (run) => committed.push(run),
      rolledBack: async <R>(trial: () => Promise<R>) => {
        requireOpen();
        const registered = committed.length;
        await client.query('savepoint trial');
        const found = await trial();
        await client.query('rollback to savepoint trial; release savepoint trial');
        committed.length = registered;
        return found;
      },
      attempt: async <R>(part: () => Promise<R>) => {
        requireOpen();
        const registered = committed.length;
        // Sent together with the first statement of the work, which fails too if this one does.
        const begun = client.query('savepoint attempt');
        begun.catch(() => undefined);
        try {
          const found = await part();
          await begun;
          // Sent together with the next statement. If it fails, the transaction is not committed.
          client.query('release savepoint attempt').catch(() => undefined);
          return found;
        } catch (error) {
          await client.query('rollback to savepoint attempt; release savepoint attempt');
          committed.length = registered;
          throw error;
        }
      },
    }).finally(() => {
      hasEnded = true;
    });
    await begun;
    const { command } = await client.query('commit');
    if (command === 'ROLLBACK') throw failure ?? new Error('PostgreSQL has rolled the transaction back');
    for (const run of committed) run();
    return result;
  } catch (error) {
    await client.query('rollback').catch(onBroken);
    await begun;
    throw error;
  }
}

/** A firewall or a vanished host may have dropped a pooled connection silently, which shows at its next use. */
function beginQuery(text: string): BeginQuery {
  return { text, query_timeout: beginTimeoutMs };
}
