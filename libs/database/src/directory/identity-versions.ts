import { uuids } from '../arrays.js';
import type { Transaction } from '../database.js';

/**
 * Keeps what these identities are now, before they change. Only changes are kept, not the present state: a first import
 * writes nothing here, and a look into the past finds the first version that was still valid then.
 */
export async function keepVersions(tx: Transaction, identityIds: readonly string[], now: Date): Promise<void> {
  if (identityIds.length === 0) return;
  await tx.query(
    `insert into identity_versions (tenant_id, identity_id, valid_until, document)
     select i.tenant_id, i.id, $2, i.document from unnest($1::uuid[]) as n (id)
      cross join lateral (select tenant_id, id, document from identities where id = n.id limit 1) i`,
    [uuids(identityIds), now],
  );
}
