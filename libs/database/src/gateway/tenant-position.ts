// SQL by hand: read for every conditional request, as text.
import type { Database } from '../database.js';

/**
 * Selects the position of tenant `$1`, a text that differs after every change of its documents, totals and lists: the
 * transaction of the change moves the sequence or its time.
 */
export const positionOfTenant = `select last || '-' || coalesce((extract(epoch from last_at) * 1000)::bigint, 0)
  from event_sequences where tenant_id = $1`;

/** Reads the position of a tenant. A page that is read afterwards is as of this position, or newer. */
export async function findTenantPosition(database: Database, tenantId: string): Promise<string | undefined> {
  const [row] = await database.readTexts(tenantId, {
    name: 'tenant-position',
    text: positionOfTenant,
    values: [tenantId],
    isOnPrimary: true,
  });
  return row?.[0] ?? undefined;
}
