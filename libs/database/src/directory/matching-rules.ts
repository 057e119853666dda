import type { MatchingRules } from '@idsync/contracts';
import type { Transaction } from '../database.js';
import { MatchingRulesEntity } from '../entities/matching.entities.js';

export async function saveMatchingRules(
  tx: Transaction,
  tenantId: string,
  rules: MatchingRules,
  now: Date,
): Promise<void> {
  await tx.manager.upsert(MatchingRulesEntity, { tenantId, rules, updatedAt: now }, ['tenantId']);
}
