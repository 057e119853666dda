// SQL by hand: bulk deletions that skip locked rows.
import { arraysOf, texts, uuids } from '../arrays.js';
import { searchAndWork } from '../by-tenant.js';
import type { Database, Transaction } from '../database.js';

const retentionDays = 30;

interface Tombstone {
  tenantId: string;
  connectorId: string;
  kind: string;
  id: string;
}

/** Deletes tombstones that are older than the retention. Returns their number, at most `limit`. */
export async function purgeScimTombstones(database: Database, limit: number): Promise<number> {
  return searchAndWork(
    database,
    (tx) =>
      tx.query<Tombstone>(
        `select tenant_id as "tenantId", connector_id as "connectorId", kind, id from scim_resources
          where deleted_at < now() - make_interval(days => $2) order by deleted_at, id limit $1`,
        [limit, retentionDays],
      ),
    deleteTombstones,
  );
}

async function deleteTombstones(tx: Transaction, found: readonly Tombstone[]): Promise<number> {
  const rows = await tx.query<{ connectorId: string; position: number }>(
    `delete from scim_resources where tenant_id = $1 and (connector_id, kind, id) in (
       select connector_id, kind, id from scim_resources r
         join unnest($2::uuid[], $3::text[], $4::uuid[]) as found (connector_id, kind, id) using (connector_id, kind, id)
        where r.tenant_id = $1 and r.deleted_at is not null for update of r skip locked)
     returning connector_id as "connectorId", coalesce(position, 0) as position`,
    [tx.tenantId, ...arraysOf(found, { connectorId: uuids, kind: texts, id: uuids })],
  );
  const forgotten = new Map<string, number>();
  for (const { connectorId, position } of rows) {
    forgotten.set(connectorId, Math.max(forgotten.get(connectorId) ?? 0, position));
  }
  for (const [connectorId, position] of forgotten) {
    await tx.query(
      'update scim_positions set forgotten = greatest(forgotten, $3) where tenant_id = $1 and connector_id = $2',
      [tx.tenantId, connectorId, position],
    );
  }
  return rows.length;
}

/** Marks the pushed resources of a deleted connector for deletion in batches. */
export async function markPushedForDeletion(tx: Transaction, connectorId: string): Promise<void> {
  await tx.query('update scim_positions set deleted_at = now() where tenant_id = $1 and connector_id = $2', [
    tx.tenantId,
    connectorId,
  ]);
}

/** Deletes pushed resources of deleted connectors. Returns `limit` if there may be more. */
export async function deletePushedOfDeletedConnectors(database: Database, limit: number): Promise<number> {
  return searchAndWork(
    database,
    (tx) =>
      tx.query<{ id: string; tenantId: string }>(
        `select connector_id as id, tenant_id as "tenantId" from scim_positions
          where deleted_at is not null order by deleted_at limit 1`,
      ),
    async (tx, found) => {
      for (const { id } of found) if (!(await deletePushedBatch(tx, id, limit))) return 0;
      // Returns the limit, so that the next deleted connector is processed at once.
      return limit;
    },
  );
}

/** Returns false if another gateway is processing the connector. */
async function deletePushedBatch(tx: Transaction, connectorId: string, limit: number): Promise<boolean> {
  const { tenantId } = tx;
  const locked = await tx.query(
    'select 1 from scim_positions where tenant_id = $1 and connector_id = $2 for update skip locked',
    [tenantId, connectorId],
  );
  if (locked.length === 0) return false;
  const ids = await tx.ids(
    `delete from scim_resources where tenant_id = $1 and (connector_id, kind, id) in (
       select connector_id, kind, id from scim_resources where tenant_id = $1 and connector_id = $2 limit $3) returning id`,
    [tenantId, connectorId, limit],
  );
  await tx.query('delete from scim_members where tenant_id = $1 and (group_id = any($2) or member_id = any($2))', [
    tenantId,
    uuids(ids),
  ]);
  if (ids.length < limit) {
    await tx.query('delete from scim_positions where tenant_id = $1 and connector_id = $2', [tenantId, connectorId]);
  }
  return true;
}
