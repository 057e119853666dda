import type { LifecyclePolicy } from '@idsync/contracts';
import type { Transaction } from '../database.js';
import { LifecyclePolicyEntity } from '../entities/history.entities.js';

export async function saveLifecyclePolicy(
  tx: Transaction,
  tenantId: string,
  policy: LifecyclePolicy,
  now: Date,
): Promise<void> {
  await tx.manager.upsert(LifecyclePolicyEntity, { tenantId, policy, updatedAt: now }, ['tenantId']);
}
