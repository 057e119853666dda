// SQL by hand: lateral joins over a lineage, and a size-limited page.
import { uuids } from '../../arrays.js';
import type { Database, Transaction } from '../../database.js';
import { type EventDetails, shownDetails } from '../../event-details.js';
import { useIndexScans } from '../../transaction-settings.js';
import { survivor } from '../identities/survivor.js';
import { isWithinPage } from '../page.js';

export interface EventRow {
  sequence: number;
  id: string;
  type: string;
  occurredAt: Date;
  details: EventDetails;
}

export interface HistoryPage {
  events: EventRow[];
  /** True if the page ended at the size limit before `limit`. */
  isCut: boolean;
  total: number;
}

/**
 * Reads events of an identity and of those merged into it, oldest first; undefined if the tenant has no such identity.
 * A merged identity has the survivor's history.
 */
export async function findHistory(
  database: Database,
  tenantId: string,
  identityId: string,
  page: { limit: number; offset: number; afterSequence?: number; since?: Date },
): Promise<HistoryPage | undefined> {
  return database.readTransaction(tenantId, async (tx) => {
    const ids = await findLineage(tx, identityId);
    if (ids.length === 0) return undefined;
    await useIndexScans(tx);
    const values = [tenantId, uuids(ids), page.since ?? '-infinity'];
    const [count] = await tx.query<{ total: number }>(
      `select count(*) as total from unnest($2::uuid[]) as lineage (id) cross join lateral (select ${ofOne} offset 0) as event`,
      values,
    );
    const rows = await tx.query<EventRow & { fits: boolean }>(
      `select sequence, id, type, "occurredAt", fits, case when fits then details end as details
         from (select *, ${isWithinPage('octet_length(details::text)', 'sequence')} as fits
                 from (select event.* from unnest($2::uuid[]) as lineage (id) cross join lateral (
                         select sequence, id, type, occurred_at as "occurredAt", details ${ofOne}
                            and sequence > $4 order by identity_id, sequence limit $5::bigint + $6) as event
                        order by sequence limit $5 offset $6) as page) as page
        order by sequence`,
      [...values, page.afterSequence ?? 0, page.limit, page.offset],
    );
    const events = rows.filter(({ fits }) => fits).map((row) => ({ ...row, details: shownDetails(row.details) }));
    return { events, isCut: events.length < rows.length, total: count?.total ?? 0 };
  });
}

/** The events of one identity. As a range, whose order by id and sequence only the index of identities has. */
const ofOne = `from events
  where tenant_id = $1 and identity_id between lineage.id and lineage.id and occurred_at >= $3`;

/** Returns the identity that this id refers to, and all that were merged into it; empty if there is none. */
export async function findLineage(tx: Transaction, id: string): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(
    `with survivor as (
       select id from identities where tenant_id = $1
          and id = ${survivor('select into_id from identity_redirects where tenant_id = $1 and id = $2')})
     select id from survivor
     union all
     select r.id from identity_redirects r join survivor on r.into_id = survivor.id where r.tenant_id = $1`,
    [tx.tenantId, id],
  );
  return rows.map((row) => row.id);
}
