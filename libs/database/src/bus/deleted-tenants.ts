// SQL by hand: asked for every message, in one round trip.
import type { Database } from '../database.js';

/** True if the tenant does not exist or is being deleted: one round trip, because each message needs it. */
export async function isTenantDeleted(database: Pick<Database, 'read'>, tenantId: string): Promise<boolean> {
  const [row] = await database.read<{ deleted: boolean }>(tenantId, {
    name: 'is-tenant-deleted',
    text: `select not exists (select from tenants where id = $1)
               or exists (select from tenant_deletions where tenant_id = $1) as deleted`,
    values: [tenantId],
  });
  return row?.deleted ?? true;
}
