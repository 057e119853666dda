import type { Database, Transaction } from '../database.js';

export interface EventRow {
  sequence: number;
  id: string;
  type: string;
  occurredAt: Date;
  details: Record<string, unknown>;
}

export interface HistoryPage {
  events: EventRow[];
  total: number;
}

/**
 * What happened to an identity and to those that were merged into it, oldest first; undefined if the tenant has no such
 * identity. One that was merged away answers with the survivor's history.
 */
export async function findHistory(
  database: Database,
  tenantId: string,
  identityId: string,
  page: { limit: number; offset: number; afterSequence?: number; since?: Date },
): Promise<HistoryPage | undefined> {
  return database.transaction(tenantId, async (tx) => {
    const ids = await findLineage(tx, tenantId, identityId);
    if (ids.length === 0) return undefined;
    const filter = 'tenant_id = $1 and identity_id = any($2) and ($3::timestamptz is null or occurred_at >= $3)';
    const values = [tenantId, ids, page.since ?? null];
    const [count] = await tx.query<{ total: number }>(`select count(*) as total from events where ${filter}`, values);
    const events = await tx.query<EventRow>(
      `select sequence, id, type, occurred_at as "occurredAt", details
         from events where ${filter} and sequence > $4 order by sequence limit $5 offset $6`,
      [...values, page.afterSequence ?? 0, page.limit, page.offset],
    );
    return { events, total: count?.total ?? 0 };
  });
}

/** The identity that answers for this id, and all that were merged into it; empty if there is none. */
async function findLineage(tx: Transaction, tenantId: string, id: string): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(
    `with survivor as (
       select id from identities where tenant_id = $1
          and id = coalesce((select into_id from identity_redirects where tenant_id = $1 and id = $2), $2))
     select id from survivor
     union all
     select r.id from identity_redirects r join survivor on r.into_id = survivor.id where r.tenant_id = $1`,
    [tenantId, id],
  );
  return rows.map((row) => row.id);
}
