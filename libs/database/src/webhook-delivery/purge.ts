import type { Transaction } from '../database.js';

/** Ids are UUIDv7: the least one of a time stands for all that is older. */
const oldest = `overlay('00000000-0000-7000-8000-000000000000' placing
  regexp_replace(lpad(to_hex(floor(extract(epoch from now() - interval '30 days') * 1000)::bigint), 12, '0'),
    '^(.{8})(.{4})$', '\\1-\\2') from 1)::uuid`;

/**
 * Deletes some deliveries of more than 30 days ago with their attempts and what was sent, whatever became of them. A payload
 * that another delivery still needs is rendered anew. Returns how many.
 */
export async function deleteOldDeliveries(tx: Transaction, limit: number): Promise<number> {
  const [row] = await tx.query<{ count: number }>(
    `with gone as (
       delete from webhook_deliveries where id in (
         select id from webhook_deliveries where id < ${oldest} order by id limit $1 for update skip locked)
       returning id, tenant_id, event_sequence),
     attempts as (delete from webhook_attempts a using gone where a.delivery_id = gone.id),
     payloads as (
       delete from event_payloads p using gone where p.tenant_id = gone.tenant_id and p.sequence = gone.event_sequence)
     select count(*) from gone`,
    [limit],
  );
  return row?.count ?? 0;
}

/** What is known of endpoints whose webhook was deleted, and replays that ended more than 30 days ago. */
export async function deleteOldEndpoints(tx: Transaction): Promise<void> {
  await tx.query('delete from webhook_endpoints e where not exists (select from webhooks w where w.id = e.webhook_id)');
  await tx.query(`delete from webhook_replays where ended_at < now() - interval '30 days'`);
}
