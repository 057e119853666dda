// SQL by hand: the directory reads it for every batch.
import { defaultMatchingRules, type MatchingRules } from '@idsync/contracts';
import type { Transaction } from '../database.js';

/** Returns the tenant's rules, with the default of each field that they lack; undefined if the defaults apply. */
export async function findMatchingRules(tx: Transaction, tenantId: string): Promise<MatchingRules | undefined> {
  const [row] = await tx.query<{ rules: Partial<MatchingRules> }>(
    'select rules from matching_rules where tenant_id = $1',
    [tenantId],
  );
  return row && { ...defaultMatchingRules, ...row.rules };
}
