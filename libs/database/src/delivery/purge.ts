// SQL by hand: bulk deletions that skip locked rows.
import { uuids } from '../arrays.js';
import { deleteFound, searchAndWork } from '../by-tenant.js';
import type { Database } from '../database.js';
import { useIndexScans } from '../transaction-settings.js';

const retentionMs = 30 * 24 * 60 * 60 * 1_000;
/** Statistics show 24 hours. */
const countedMs = 48 * 60 * 60 * 1_000;

interface Found {
  id: string;
  tenantId: string;
}

/** Returns the lowest UUIDv7 of a time, as an upper bound for all older ids. */
function firstIdOf(time: number): string {
  const hex = time.toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
}

/**
 * Deletes up to `limit` deliveries that are older than 30 days, in any state, with their attempts and payloads. A
 * payload that another delivery still needs is rendered again. Returns the number of deleted deliveries.
 */
export async function deleteOldDeliveries(database: Database, limit: number): Promise<number> {
  return searchAndWork(
    database,
    async (tx) => {
      await useIndexScans(tx);
      // Every tenant with deliveries has a fan-out position.
      return tx.query<Found>(
        `select d.id, d.tenant_id as "tenantId" from fan_out_positions p cross join lateral (
           select id, tenant_id from webhook_deliveries
            where tenant_id = p.tenant_id and id < $2 order by id limit $1) as d limit $1`,
        [limit, firstIdOf(Date.now() - retentionMs)],
      );
    },
    (tx, found) =>
      tx.count(
        `with deleted as (
           delete from webhook_deliveries where tenant_id = $1 and id in (
             select id from webhook_deliveries where tenant_id = $1 and id = any($2) for update skip locked)
           returning id, event_sequence),
         attempts as (
           delete from webhook_attempts a using deleted where a.tenant_id = $1 and a.delivery_id = deleted.id),
         payloads as (
           delete from event_payloads p using deleted where p.tenant_id = $1 and p.sequence = deleted.event_sequence)
         select count(*) from deleted`,
        [tx.tenantId, uuids(found.map(({ id }) => id))],
      ),
  );
}

/** Deletes up to `limit` endpoint states without a webhook. Returns the number of deleted rows. */
export function deleteOldEndpoints(database: Database, limit: number): Promise<number> {
  const orphaned =
    'e where not exists (select from webhooks w where w.tenant_id = e.tenant_id and w.id = e.webhook_id) limit $1';
  return deleteFound(database, 'webhook_endpoints', orphaned, [limit], 'webhook_id');
}

/** Deletes the counts of hours that are no longer shown, of at most `limit` tenants. Returns the number of deleted rows. */
export function deleteOldHours(database: Database, limit: number): Promise<number> {
  const old = new Date(Date.now() - countedMs);
  return searchAndWork(
    database,
    async (tx) => {
      await useIndexScans(tx);
      return tx.query<{ tenantId: string }>(
        `select tenant_id as "tenantId" from fan_out_positions p
          where exists (select from webhook_hours h where h.tenant_id = p.tenant_id and h.hour < $2) limit $1`,
        [limit, old],
      );
    },
    async (tx) => {
      const deleted = await tx.query('delete from webhook_hours where tenant_id = $1 and hour < $2 returning 1', [
        tx.tenantId,
        old,
      ]);
      return deleted.length;
    },
  );
}

/** Deletes up to `limit` replays that are older than 30 days. Returns the number of deleted rows. */
export function deleteOldReplays(database: Database, limit: number): Promise<number> {
  const old = 'where id < $2 order by id limit $1';
  return deleteFound(database, 'webhook_replays', old, [limit, firstIdOf(Date.now() - retentionMs)]);
}
