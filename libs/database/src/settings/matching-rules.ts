// SQL by hand: the directory reads it for every batch.
import { defaultMatchingRules, type MatchingRules } from '@idsync/contracts';
import type { Transaction } from '../database.js';

/** Returns the tenant's rules; undefined if the defaults apply. */
export async function findMatchingRules(tx: Transaction, tenantId: string): Promise<MatchingRules | undefined> {
  const [row] = await tx.query<{ rules: Omit<MatchingRules, 'several_employments'> & Partial<MatchingRules> }>(
    'select rules from matching_rules where tenant_id = $1',
    [tenantId],
  );
  // Rules saved by an earlier version lack the newer fields.
  return (
    row && {
      ...row.rules,
      several_employments: row.rules.several_employments ?? defaultMatchingRules.several_employments,
    }
  );
}
