// SQL by hand: an insert that notifies in the same statement, and bounded counts of backlogs.
import { type MessageData, type MessageType, newUuid } from '@idsync/contracts';
import { traceparent } from '@idsync/runtime';
import { texts } from '../arrays.js';
import type { Database, Transaction } from '../database.js';

export interface OutgoingMessage<T extends MessageType = MessageType> {
  type: T;
  tenantId: string;
  data: MessageData<T>;
}

/**
 * Writes a message to the outbox in the transaction that it reports on; this service's relay publishes it after the
 * commit.
 */
export async function enqueue<T extends MessageType>(tx: Transaction, message: OutgoingMessage<T>): Promise<void> {
  const id = newUuid();
  const body = JSON.stringify({ id, tenant_id: message.tenantId, traceparent: traceparent(), data: message.data });
  await tx.query(
    `with announced as (
       insert into outbox (producer, message_id, type, message) values (current_user, $1, $2, $3))
     select pg_notify('idsync_outbox', current_user)`,
    [id, message.type, body],
  );
}

/** Returns true the first time this consumer receives the message. Its effects and this mark are in one transaction. */
export async function markReceived(tx: Transaction, messageId: string): Promise<boolean> {
  return tx.any(
    `insert into inbox (consumer, message_id) values (current_user, $1)
     on conflict do nothing returning message_id`,
    [messageId],
  );
}

/**
 * Returns the row that a message names. Without it, the message fails and is retried: after a crash, Citus shows a message up to
 * seconds before the rows that were committed with it.
 */
export function committedWith<Row>(row: Row | undefined, what: string): Row {
  if (row === undefined) throw new Error(`${what} of the message is not visible yet`);
  return row;
}

export interface Backlog {
  /** Age of the oldest message that could have been published. */
  seconds: number;
  /** Number of messages, up to `countLimit`. */
  count: number;
}

/** Bounds the cost of counting a backlog. */
const countLimit = 1_000;

/**
 * Counts this service's unpublished outbox messages by two reads at the start of an index: 6 to 8 ms with a million
 * rows on a loaded machine.
 */
export async function outboxBacklog(tx: Transaction): Promise<Backlog> {
  const [found] = await tx.query<Backlog>(
    `select coalesce(extract(epoch from clock_timestamp() - (
              select created_at from outbox where producer = current_user order by id limit 1)), 0)::float8 as seconds,
            (select count(*)::int from (
              select from outbox where producer = current_user order by id limit $1) as counted) as count`,
    [countLimit],
  );
  return found ?? { seconds: 0, count: 0 };
}

/** Counts waiting and dead messages of row queues; each costs two reads at the start of an index. */
export async function queueBacklogs(
  tx: Transaction,
  queues: readonly string[],
): Promise<(Backlog & { queue: string; dead: number })[]> {
  return tx.query(
    `select queue, coalesce(extract(epoch from clock_timestamp() - (
              select available_at from bus_messages m
               where m.queue = q.queue and dead_at is null and available_at <= now() order by available_at limit 1)), 0)::float8 as seconds,
            (select count(*)::int from (
              select from bus_messages m
               where m.queue = q.queue and dead_at is null and available_at <= now() order by available_at limit $2) as counted) as count,
            (select count(*)::int from (
              select from bus_messages m where m.queue = q.queue and dead_at is not null limit $2) as counted) as dead
       from unnest($1::text[]) as q (queue)`,
    [texts(queues), countLimit],
  );
}

/** True if the tenant does not exist or is being deleted: one round trip, because each message needs it. */
export async function isTenantDeleted(database: Pick<Database, 'read'>, tenantId: string): Promise<boolean> {
  const [row] = await database.read<{ deleted: boolean }>(tenantId, {
    name: 'is-tenant-deleted',
    text: `select not exists (select from tenants where id = $1)
               or exists (select from tenant_deletions where tenant_id = $1) as deleted`,
    values: [tenantId],
  });
  return row?.deleted ?? true;
}
