// SQL by hand: one index lookup for each group of a batch.
import { texts } from '../arrays.js';
import type { Transaction } from '../database.js';
import { groupTerm } from './list-terms.js';

/**
 * Returns which of these groups have members. Under the lock of the tenant's sequence the answer holds until the
 * transaction changes members.
 */
export async function findGroupsWithMembers(
  tx: Transaction,
  tenantId: string,
  groupIds: readonly string[],
): Promise<Set<string>> {
  if (groupIds.length === 0) return new Set();
  const terms = groupIds.map(groupTerm);
  const rows = await tx.query<{ nth: number }>(
    `select nth::integer from unnest($2::text[]) with ordinality as n (term, nth)
      cross join lateral (select from list_terms where tenant_id = $1 and term = n.term limit 1) as member`,
    [tenantId, texts(terms)],
  );
  return new Set(rows.flatMap(({ nth }) => groupIds[nth - 1] ?? []));
}
