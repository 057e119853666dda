import type { MatchingRules } from '@idsync/contracts';
import type { Transaction } from '../database.js';

/** The tenant's own rules; undefined if it has none. */
export async function findMatchingRules(tx: Transaction, tenantId: string): Promise<MatchingRules | undefined> {
  const [row] = await tx.query<{ rules: MatchingRules }>('select rules from matching_rules where tenant_id = $1', [
    tenantId,
  ]);
  return row?.rules;
}

export async function saveMatchingRules(
  tx: Transaction,
  tenantId: string,
  rules: MatchingRules,
  now: Date,
): Promise<void> {
  await tx.query(
    `insert into matching_rules (tenant_id, rules, updated_at) values ($1, $2, $3)
     on conflict (tenant_id) do update set rules = excluded.rules, updated_at = excluded.updated_at`,
    [tenantId, JSON.stringify(rules), now],
  );
}
