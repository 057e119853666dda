import type { Transaction } from '../database.js';
import { AttributePriorityEntity } from '../entities/history.entities.js';
import type { AttributePriority } from '../settings/attribute-priorities.js';

/** Replaces all attribute priorities of a tenant. */
export async function saveAttributePriorities(
  tx: Transaction,
  tenantId: string,
  priorities: readonly AttributePriority[],
): Promise<void> {
  await tx.manager.delete(AttributePriorityEntity, { tenantId });
  if (priorities.length === 0) return;
  await tx.manager.insert(
    AttributePriorityEntity,
    priorities.map(({ field, connectorId, priority }) => ({ tenantId, field, connectorId, priority })),
  );
}
