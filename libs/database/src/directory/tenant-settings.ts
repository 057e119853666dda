import type { LifecyclePolicy, MatchingRules } from '@idsync/contracts';
import type { Transaction } from '../database.js';
import { AttributePriorityEntity, LifecyclePolicyEntity } from '../entities/history.entities.js';
import { MatchingRulesEntity } from '../entities/matching.entities.js';
import type { AttributePriority } from '../settings/tenant-settings.js';

/** Replaces all attribute priorities of a tenant. */
export async function saveAttributePriorities(
  tx: Transaction,
  priorities: readonly AttributePriority[],
): Promise<void> {
  await tx.manager.delete(AttributePriorityEntity, { tenantId: tx.tenantId });
  if (priorities.length === 0) return;
  await tx.manager.insert(
    AttributePriorityEntity,
    priorities.map(({ field, connectorId, priority }) => ({ tenantId: tx.tenantId, field, connectorId, priority })),
  );
}

/** `former`: the rules by which the records are matched so far. */
export async function saveMatchingRules(
  tx: Transaction,
  rules: MatchingRules,
  former: MatchingRules[],
  now: Date,
): Promise<void> {
  await tx.manager.upsert(MatchingRulesEntity, { tenantId: tx.tenantId, rules, updatedAt: now, former }, ['tenantId']);
}

/** Notes that all records are matched by the present rules. */
export async function clearFormerRules(tx: Transaction): Promise<void> {
  await tx.manager.update(MatchingRulesEntity, { tenantId: tx.tenantId }, { former: null });
}

export async function saveLifecyclePolicy(tx: Transaction, policy: LifecyclePolicy, now: Date): Promise<void> {
  await tx.manager.upsert(LifecyclePolicyEntity, { tenantId: tx.tenantId, policy, updatedAt: now }, ['tenantId']);
}
