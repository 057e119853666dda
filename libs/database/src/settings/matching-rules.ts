// SQL by hand: the directory reads it for every batch.
import { completeRules, type MatchingRules } from '@idsync/contracts';
import type { Transaction } from '../database.js';

/** Returns the tenant's rules; undefined if the defaults apply. */
export async function findMatchingRules(tx: Transaction, tenantId: string): Promise<MatchingRules | undefined> {
  const [row] = await tx.query<{ rules: Parameters<typeof completeRules>[0] }>(
    'select rules from matching_rules where tenant_id = $1',
    [tenantId],
  );
  return row && completeRules(row.rules);
}
