// SQL by hand: pages of several index ranges, and a message that moves between two tables in one statement.
import { type QueueDefinition, queues } from '@idsync/contracts';
import { texts } from '../arrays.js';
import type { Transaction } from '../database.js';

export interface DeadLetterRow {
  id: number;
  queue: string;
  messageId: string | null;
  type: string;
  /** As it was sent; it may be malformed. */
  message: string;
  attempts: number;
  deadAt: Date;
  reason: string | null;
}

/** A message that a broker has dead-lettered, or is about to. */
export interface NewDeadLetter extends Omit<DeadLetterRow, 'id' | 'deadAt'> {
  reason: string;
}

const columns = `id, queue, message_id as "messageId", type, message, attempts, dead_at as "deadAt", dead_reason as reason`;
/** Types that a queue binds, so that they can be sent again. */
const boundTypes = new Set<string>(Object.values<QueueDefinition>(queues).flatMap(({ binds }) => binds));

/** True if a queue of this version receives messages of the type. */
export function canRequeue(type: string): boolean {
  return boundTypes.has(type);
}

/** Stores a dead letter of a broker, once for each queue, although both the service and the broker report it. */
export async function keepDeadLetter(tx: Transaction, letter: NewDeadLetter): Promise<void> {
  const { queue, messageId, type, message, attempts, reason } = letter;
  await lockCopies(tx, letter);
  await tx.query(
    `insert into bus_messages (queue, message_id, type, message, attempts, dead_at, dead_reason)
     select $1, $2, $3, $4, $5, now(), $6
      where not exists (select from bus_messages where message_id = $2 and queue = $1 and dead_at is not null)`,
    [queue, messageId, type, message, attempts, reason],
  );
}

/** Two copies that are stored at the same time do not see each other. */
async function lockCopies(tx: Transaction, { queue, messageId }: NewDeadLetter): Promise<void> {
  if (messageId !== null) await tx.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [queue + messageId]);
}

/**
 * Keeps a message of RabbitMQ as a row until it is due, when `sendPostponed` sends it again. The broker delivers it again
 * if it gets no acknowledgement; it stays one row.
 */
export async function postpone(tx: Transaction, letter: NewDeadLetter, pauseMs: number): Promise<void> {
  const { queue, messageId, type, message, attempts } = letter;
  await lockCopies(tx, letter);
  await tx.query(
    `insert into bus_messages (queue, message_id, type, message, attempts, available_at)
     select $1, $2, $3, $4, $5, now() + make_interval(secs => $6)
      where not exists (select from bus_messages where message_id = $2 and queue = $1 and dead_at is null)`,
    [queue, messageId, type, message, attempts, pauseMs / 1_000],
  );
}

/** Sends up to `limit` postponed messages of the queues that are due, with their ids. Returns how many. */
export async function sendPostponed(tx: Transaction, names: readonly string[], limit: number): Promise<number> {
  const sent = await tx.query(
    `with due as (
       delete from bus_messages where id = any(array(
         select id from bus_messages where queue = any($1) and dead_at is null and available_at <= now()
          limit $2 for update skip locked))
       returning message_id, type, message),
     announced as (
       insert into outbox (producer, message_id, type, message)
       select current_user, coalesce(message_id, gen_random_uuid()), type, message from due returning 1)
     select pg_notify('idsync_outbox', current_user) from announced`,
    [texts(names), limit],
  );
  return sent.length;
}

/** Lists dead letters before a number, the newest first. Reads at most `limit` rows of each queue. */
export async function listDeadLetters(
  tx: Transaction,
  { names, before, limit }: { names: readonly string[]; before?: number; limit: number },
): Promise<DeadLetterRow[]> {
  return tx.query<DeadLetterRow>(
    `select found.* from unnest($1::text[]) as q (name) cross join lateral (
       select ${columns} from bus_messages m
        where m.queue = q.name and dead_at is not null and ($2::bigint is null or id < $2)
        order by id desc limit $3) as found
      order by id desc limit $3`,
    [texts(names), before ?? null, limit],
  );
}

export async function findDeadLetter(tx: Transaction, id: number): Promise<DeadLetterRow | undefined> {
  const rows = await tx.query<DeadLetterRow>(
    `select ${columns} from bus_messages where id = $1 and dead_at is not null`,
    [id],
  );
  return rows[0];
}

/** Removes a dead letter. Undefined if it is gone, for example because another request was faster. */
export async function removeDeadLetter(tx: Transaction, id: number): Promise<DeadLetterRow | undefined> {
  const rows = await tx.query<DeadLetterRow>(
    `delete from bus_messages where id = $1 and dead_at is not null returning ${columns}`,
    [id],
  );
  return rows[0];
}

/** Sends a removed dead letter again with its id, so that its receivers still recognise what they have applied. */
export async function sendAgain(tx: Transaction, { messageId, type, message }: DeadLetterRow): Promise<void> {
  await tx.query(
    `with announced as (
       insert into outbox (producer, message_id, type, message)
       values (current_user, coalesce($1, gen_random_uuid()), $2, $3))
     select pg_notify('idsync_outbox', current_user)`,
    [messageId, type, message],
  );
}
