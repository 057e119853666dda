import type { Transaction } from '../database.js';

const keptMs = 30 * 24 * 60 * 60 * 1_000;

/** Ids are UUIDv7: the least one of a time stands for all that is older. */
function firstIdOf(time: number): string {
  const hex = time.toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
}

/**
 * Deletes some deliveries of more than 30 days ago with their attempts and what was sent, whatever became of them. A payload
 * that another delivery still needs is rendered anew. Returns how many.
 */
export async function deleteOldDeliveries(tx: Transaction, limit: number): Promise<number> {
  const [row] = await tx.query<{ count: number }>(
    `with gone as (
       delete from webhook_deliveries where id in (
         select id from webhook_deliveries where id < $2 order by id limit $1 for update skip locked)
       returning id, tenant_id, event_sequence),
     attempts as (delete from webhook_attempts a using gone where a.delivery_id = gone.id),
     payloads as (
       delete from event_payloads p using gone where p.tenant_id = gone.tenant_id and p.sequence = gone.event_sequence)
     select count(*) from gone`,
    [limit, firstIdOf(Date.now() - keptMs)],
  );
  return row?.count ?? 0;
}

/** Deletes some of what is known of endpoints without a webhook, and of replays of more than 30 days ago. Returns how many. */
export async function deleteOldEndpoints(tx: Transaction, limit: number): Promise<number> {
  const endpoints = await tx.query(
    `delete from webhook_endpoints where webhook_id in (
       select webhook_id from webhook_endpoints e
        where not exists (select from webhooks w where w.id = e.webhook_id) limit $1)
     returning webhook_id`,
    [limit],
  );
  const replays = await tx.query(
    `delete from webhook_replays where id in (
       select id from webhook_replays where id < $2 order by id limit $1) returning id`,
    [limit, firstIdOf(Date.now() - keptMs)],
  );
  return Math.max(endpoints.length, replays.length);
}
