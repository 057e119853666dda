// SQL by hand: inserts in bulk from lateral joins.
import { uuids } from '../arrays.js';
import type { Transaction } from '../database.js';

/**
 * Stores the current documents of these identities before they change. Only past versions are stored: a first import
 * writes nothing here, and a query for a point in time finds the first version that was still valid then.
 */
export async function saveIdentityVersions(tx: Transaction, identityIds: readonly string[], now: Date): Promise<void> {
  if (identityIds.length === 0) return;
  await tx.query(
    `with current as materialized (
       select f.* from unnest($2::uuid[]) as n (id)
        cross join lateral (select id, document from identities where tenant_id = $1 and id = n.id limit 1) f),
     saved as (
       insert into identity_versions (tenant_id, identity_id, valid_until, document)
       select $1, id, $3, document from current returning 1)
     select`,
    [tx.tenantId, uuids(identityIds), now],
  );
}

/** Returns those of these identities that had joined at some time: one index lookup for each. */
export async function findFormerlyActive(
  tx: Transaction,
  tenantId: string,
  identityIds: readonly string[],
): Promise<Set<string>> {
  if (identityIds.length === 0) return new Set();
  const found = await tx.ids(
    `select n.id from unnest($2::uuid[]) as n (id)
      cross join lateral (select from events where tenant_id = $1 and identity_id = n.id
                             and type in ('lifecycle.joiner', 'lifecycle.rejoiner') limit 1) joined`,
    [tenantId, uuids(identityIds)],
  );
  return new Set(found);
}

/**
 * Stores the current documents of these records before they change. Events show the state at their time, and an
 * identity's versions do not contain all of it: not accounts without an identity, nor records beyond its size limit.
 */
export async function saveRecordVersions(tx: Transaction, recordIds: readonly string[], now: Date): Promise<void> {
  if (recordIds.length === 0) return;
  await tx.query(
    `with current as materialized (
       select f.* from unnest($2::uuid[]) as n (id)
        cross join lateral (select id, document from source_records where tenant_id = $1 and id = n.id limit 1) f),
     saved as (
       insert into record_versions (tenant_id, record_id, valid_until, document)
       select $1, id, $3, document from current returning 1)
     select`,
    [tx.tenantId, uuids(recordIds), now],
  );
}
