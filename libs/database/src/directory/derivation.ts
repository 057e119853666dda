// SQL by hand: searches of rows to derive again, by index.
import { uuids } from '../arrays.js';
import type { Transaction } from '../database.js';

/**
 * Number of the rules by which documents, terms and match values follow from the fields of records. A version that
 * changes a rule raises it, with the column's default: rows of lower numbers, which the version before also writes during
 * an update and after a rollback, are then derived again.
 */
export const derivation = 1;

/** Compared with a constant as well, so that no other search can take the index. */
const isOlder = `derived_by >= 0 and derived_by < ${derivation}`;

/** Is part of a search for the time of a tenant's next work: now, if a row is to be derived again. */
export const rederivedAt = ['source_records', 'identities']
  .map((table) => `(select now() from ${table} where tenant_id = $1 and ${isOlder} limit 1)`)
  .join(', ');

export function findOlderRecords(tx: Transaction, limit: number): Promise<string[]> {
  return tx.ids(`select id from source_records where tenant_id = $1 and ${isOlder} limit $2`, [tx.tenantId, limit]);
}

export function findOlderIdentities(tx: Transaction, limit: number): Promise<string[]> {
  return tx.ids(`select id from identities where tenant_id = $1 and ${isOlder} limit $2`, [tx.tenantId, limit]);
}

/** Notes that these identities are as this version would write them. */
export async function markDerived(tx: Transaction, ids: readonly string[]): Promise<void> {
  await tx.query(`update identities set derived_by = ${derivation} where tenant_id = $1 and id = any($2)`, [
    tx.tenantId,
    uuids(ids),
  ]);
}
