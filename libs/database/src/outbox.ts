import { type MessageData, type MessageType, newUuid } from '@idsync/contracts';
import { traceparent } from '@idsync/runtime';
import { texts } from './arrays.js';
import type { Transaction } from './database.js';

export interface OutgoingMessage<T extends MessageType = MessageType> {
  type: T;
  tenantId: string;
  data: MessageData<T>;
  /** Messages of one key keep their order on queues that are ordered. */
  orderingKey?: string;
}

/** Announces something in the transaction that makes it true; the relay of this service publishes it afterwards. */
export async function enqueue<T extends MessageType>(tx: Transaction, message: OutgoingMessage<T>): Promise<void> {
  const id = newUuid();
  const body = JSON.stringify({ id, tenant_id: message.tenantId, traceparent: traceparent(), data: message.data });
  await tx.query(
    `with announced as (
       insert into outbox (producer, message_id, type, ordering_key, message) values (current_user, $1, $2, $3, $4))
     select pg_notify('idsync_outbox', current_user)`,
    [id, message.type, message.orderingKey ?? null, body],
  );
}

/** True the first time this consumer sees the message: its effects and this mark are one transaction. */
export async function markReceived(tx: Transaction, messageId: string): Promise<boolean> {
  const rows = await tx.query(
    `insert into inbox (consumer, message_id) values (current_user, $1)
     on conflict do nothing returning message_id`,
    [messageId],
  );
  return rows.length > 0;
}

export interface Backlog {
  /** Of the oldest, since it could have gone. */
  seconds: number;
  /** How many, up to `mostCounted`. */
  count: number;
}

/** A backlog is counted so far and no further: what a look costs has a bound. */
const mostCounted = 1_000;

/** What this service announced and nobody has published: two looks at the beginning of an index; 6 to 8 ms with a million rows on a machine under load. */
export async function outboxBacklog(tx: Transaction): Promise<Backlog> {
  const [found] = await tx.query<Backlog>(
    `select coalesce(extract(epoch from clock_timestamp() - (
              select created_at from outbox where producer = current_user order by id limit 1)), 0)::float8 as seconds,
            (select count(*)::int from (
              select from outbox where producer = current_user order by id limit $1) as counted) as count`,
    [mostCounted],
  );
  return found ?? { seconds: 0, count: 0 };
}

/** What waits in queues of rows, and what was given up: each costs two looks at the beginning of an index. */
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
    [texts(queues), mostCounted],
  );
}
