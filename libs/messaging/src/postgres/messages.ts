// SQL by hand: claims in bulk with `skip locked`, benchmarked.

import { type QueueDefinition, queues } from '@idsync/contracts';
import type { Database } from '@idsync/database';

export interface ClaimedMessage {
  id: number;
  type: string;
  message: string;
  attempts: number;
}

/** Seconds without a heartbeat after which a consumer's messages are redelivered. */
export const leaseSeconds = 10;

/**
 * Claims due messages. They stay in the queue, hidden until the lease expires, so messages of a killed consumer are
 * redelivered.
 */
export async function claimMessages(
  database: Database,
  claim: { queue: string; limit: number; token: string },
): Promise<ClaimedMessage[]> {
  const rows = await database.writeWithoutTenant<ClaimedMessage>({
    name: 'claim-messages',
    text: `with due as materialized (
         select id from bus_messages
          where queue = $1 and dead_at is null and available_at <= now()
          order by available_at, id limit $4 for update skip locked)
       update bus_messages m set attempts = attempts + 1, lease_token = $2, available_at = now() + make_interval(secs => $3)
         from due where m.id = due.id
       returning m.id, type, message, attempts`,
    values: [claim.queue, claim.token, leaseSeconds, claim.limit],
  });
  return rows.sort((a, b) => a.id - b.id);
}

/** A claim with its fencing token: settling does nothing once another consumer has claimed the message. */
export interface Claim {
  id: number;
  token: string;
}

export async function extendLease(database: Database, claims: readonly Claim[]): Promise<void> {
  await database.withoutTenant((tx) =>
    tx.query(
      `update bus_messages m set available_at = now() + make_interval(secs => $3)
         from unnest($1::bigint[], $2::uuid[]) as claim (id, token) where m.id = claim.id and m.lease_token = claim.token`,
      [claims.map((claim) => claim.id), claims.map((claim) => claim.token), leaseSeconds],
    ),
  );
}

export async function acknowledge(database: Database, { id, token }: Claim): Promise<void> {
  await database.writeWithoutTenant({
    name: 'acknowledge-message',
    text: 'delete from bus_messages where id = $1 and lease_token = $2',
    values: [id, token],
  });
}

export async function retryLater(
  database: Database,
  { id, token }: Claim,
  { pauseMs, attempts }: { pauseMs: number; attempts: number },
): Promise<void> {
  await database.withoutTenant((tx) =>
    tx.query(
      `update bus_messages set lease_token = null, available_at = now() + make_interval(secs => $3), attempts = $4
        where id = $1 and lease_token = $2`,
      [id, token, pauseMs / 1_000, attempts],
    ),
  );
}

/** Marks the message as dead with the reason, and copies it to the queues that bind its dead letters. */
export async function giveUp(database: Database, { id, token }: Claim, reason: string): Promise<void> {
  await database.withoutTenant((tx) =>
    tx.query(
      `with dead as (
         update bus_messages set dead_at = now(), dead_reason = $3, lease_token = null
          where id = $1 and lease_token = $2 returning message_id, type, message),
       copied as (
         insert into bus_messages (queue, message_id, type, message)
         select route.queue, dead.message_id, dead.type, dead.message
           from dead join unnest($4::text[], $5::text[]) as route (queue, type) using (type)
         returning queue)
       select pg_notify('idsync_bus', queue) from copied`,
      [id, token, reason, deadRoutes.map((route) => route.queue), deadRoutes.map((route) => route.type)],
    ),
  );
}

const deadRoutes = Object.entries<QueueDefinition>(queues).flatMap(([queue, { bindsDead = [] }]) =>
  bindsDead.map((type) => ({ queue, type })),
);
