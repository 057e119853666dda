import type { FindingPolicy } from '@idsync/contracts';
import type { Transaction } from '../database.js';
import { FindingPolicyEntity } from '../entities/findings.entities.js';
import { noteDue } from '../settings/note-due.js';

export async function saveFindingPolicy(tx: Transaction, tenantId: string, policy: FindingPolicy): Promise<void> {
  await tx.manager.upsert(FindingPolicyEntity, { tenantId, policy, updatedAt: new Date() }, ['tenantId']);
  await noteDue(tx, tenantId);
}
