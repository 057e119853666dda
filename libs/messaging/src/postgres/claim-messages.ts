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
      `with recursive ${claim.ordered ? oldestOfEachKey : oldest}
       update bus_messages m set attempts = attempts + 1, lease_token = $2, available_at = now() + make_interval(secs => $3)
         from due where m.id = due.id
       returning m.id, type, message, ordering_key as "orderingKey", attempts`,
      [claim.queue, claim.token, leaseSeconds, claim.limit],
    ),
  );
  return rows.sort((a, b) => a.id - b.id);
}

const oldest = `
  due as materialized (
    select id from bus_messages
     where queue = $1 and dead_at is null and available_at <= now()
     order by available_at, id limit $4 for update skip locked)`;

/**
 * Hops from key to key, so that a backlog behind a few keys costs a few look-ups: 0.2 ms with 50 000 messages of 5 keys, where
 * asking of each whether there is an older one took 265 ms, and 3.9 s with 10 000 of one key. What
 * is locked is looked at again, as another consumer may have claimed it meanwhile.
 */
const oldestOfEachKey = `
  heads as (
    (select ordering_key, id, available_at from bus_messages
      where queue = $1 and dead_at is null and ordering_key is not null order by queue, ordering_key, id limit 1)
    union all
    select following.* from heads, lateral (
      select ordering_key, id, available_at from bus_messages
       where queue = $1 and dead_at is null and ordering_key > heads.ordering_key
       order by queue, ordering_key, id limit 1) as following),
  due as materialized (
    select free.id from (
      select id from heads where available_at <= now() order by available_at, id limit $4) as head
     cross join lateral (
       select id from bus_messages where id = head.id and dead_at is null and available_at <= now()
          for update skip locked) as free)`;
