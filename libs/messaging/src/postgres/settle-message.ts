// SQL by hand: fenced by the token of the claim, and in bulk.
import { type QueueDefinition, queues } from '@idsync/contracts';
import type { Database } from '@idsync/database';
import { leaseSeconds } from './claim-messages.js';

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

export async function retryLater(database: Database, { id, token }: Claim, milliseconds: number): Promise<void> {
  await database.withoutTenant((tx) =>
    tx.query(
      `update bus_messages set lease_token = null, available_at = now() + make_interval(secs => $3)
        where id = $1 and lease_token = $2`,
      [id, token, milliseconds / 1_000],
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
