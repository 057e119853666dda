// SQL by hand: inserts in bulk from lateral joins.
import { uuids } from '../arrays.js';
import type { Transaction } from '../database.js';

const versionsOf = {
  identities: 'identity_versions (tenant_id, identity_id, valid_until, document)',
  source_records: 'record_versions (tenant_id, record_id, valid_until, document)',
};

/**
 * Stores the current documents of these rows before they change. Only past versions are stored: a first import writes
 * nothing here, and a query for a point in time finds the first version that was still valid then. Records have versions
 * too, because an identity's do not contain accounts without an identity, nor records beyond its size limit.
 */
export async function saveVersions(
  tx: Transaction,
  table: keyof typeof versionsOf,
  ids: readonly string[],
  now: Date,
): Promise<void> {
  if (ids.length === 0) return;
  await tx.query(
    `with current as materialized (
       select f.* from unnest($2::uuid[]) as n (id)
        cross join lateral (select id, document from ${table} where tenant_id = $1 and id = n.id limit 1) f),
     saved as (insert into ${versionsOf[table]} select $1, id, $3, document from current returning 1)
     select`,
    [tx.tenantId, uuids(ids), now],
  );
}

/** Returns those of these identities that had joined at some time: one index lookup for each. */
export async function findFormerlyActive(tx: Transaction, identityIds: readonly string[]): Promise<Set<string>> {
  if (identityIds.length === 0) return new Set();
  const found = await tx.ids(
    `select n.id from unnest($2::uuid[]) as n (id)
      cross join lateral (select from events where tenant_id = $1 and identity_id = n.id
                             and type in ('lifecycle.joiner', 'lifecycle.rejoiner') limit 1) joined`,
    [tx.tenantId, uuids(identityIds)],
  );
  return new Set(found);
}
