import type { Database } from '@idsync/database';

export interface ClaimedMessage {
  id: number;
  type: string;
  message: string;
  orderingKey: string | null;
  attempts: number;
}

/** Seconds a consumer may be silent before its messages go to another. */
export const leaseSeconds = 10;

/**
 * Claims due messages: they stay in the queue, unavailable until the lease runs out, so a killed consumer's messages come
 * back by themselves. On an ordered queue only the oldest message of a key is claimed, due or not, dead ones aside.
 */
export async function claimMessages(
  database: Database,
  claim: { queue: string; ordered: boolean; limit: number; token: string },
): Promise<ClaimedMessage[]> {
  const rows = await database.transaction(undefined, (tx) =>
    tx.query<ClaimedMessage>(
      `with due as materialized (
         select id from bus_messages due
          where queue = $1 and dead_at is null and available_at <= now() ${claim.ordered ? oldestOfItsKey : ''}
          order by available_at, id limit $4 for update skip locked)
       update bus_messages m set attempts = attempts + 1, lease_token = $2, available_at = now() + make_interval(secs => $3)
         from due where m.id = due.id
       returning m.id, type, message, ordering_key as "orderingKey", attempts`,
      [claim.queue, claim.token, leaseSeconds, claim.limit],
    ),
  );
  return rows.sort((a, b) => a.id - b.id);
}

const oldestOfItsKey = `and not exists (
  select from bus_messages older
   where older.queue = due.queue and older.ordering_key = due.ordering_key and older.id < due.id and older.dead_at is null)`;
