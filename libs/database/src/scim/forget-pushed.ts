import { uuids } from '../arrays.js';
import type { Database, Transaction } from '../database.js';

const keptDays = 30;

/** Forgets deletions that every run has long heard of. Returns how many, at most `limit`. */
export async function forgetPushedDeletions(database: Database, limit: number): Promise<number> {
  return database.transaction(undefined, async (tx) => {
    const rows = await tx.query<{ connectorId: string; position: string }>(
      `delete from scim_resources where (connector_id, kind, id) in (
         select connector_id, kind, id from scim_resources where deleted_at < now() - make_interval(days => $2)
          order by deleted_at, id limit $1 for update skip locked)
       returning connector_id as "connectorId", coalesce(position, 0) as position`,
      [limit, keptDays],
    );
    const forgotten = new Map<string, number>();
    for (const { connectorId, position } of rows) {
      forgotten.set(connectorId, Math.max(forgotten.get(connectorId) ?? 0, Number(position)));
    }
    for (const [connectorId, position] of forgotten) {
      await tx.query('update scim_positions set forgotten = greatest(forgotten, $2) where connector_id = $1', [
        connectorId,
        position,
      ]);
    }
    return rows.length;
  });
}

/** What was pushed to the connector is no longer needed, and goes in portions. */
export async function abandonPushed(tx: Transaction, tenantId: string, connectorId: string): Promise<void> {
  await tx.query('update scim_positions set deleted_at = now() where tenant_id = $1 and connector_id = $2', [
    tenantId,
    connectorId,
  ]);
}

/** Forgets what was pushed to connectors that are gone. Returns how many resources, at most `limit`. */
export async function forgetAbandoned(database: Database, limit: number): Promise<number> {
  return database.transaction(undefined, async (tx) => {
    const [gone] = await tx.query<{ id: string }>(
      `select connector_id as id from scim_positions where deleted_at is not null order by deleted_at limit 1
          for update skip locked`,
    );
    if (!gone) return 0;
    const rows = await tx.query<{ id: string }>(
      `delete from scim_resources where (connector_id, kind, id) in (
         select connector_id, kind, id from scim_resources where connector_id = $1 limit $2) returning id`,
      [gone.id, limit],
    );
    const ids = uuids(rows.map(({ id }) => id));
    await tx.query('delete from scim_members where group_id = any($1) or member_id = any($1)', [ids]);
    if (rows.length < limit) await tx.query('delete from scim_positions where connector_id = $1', [gone.id]);
    // The next connector that is gone has its turn at once.
    return limit;
  });
}
