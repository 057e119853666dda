// SQL by hand: the directory reads it for every batch.
import type { Transaction } from '../database.js';
import type { AttributePriorityEntity } from '../entities/history.entities.js';

export type AttributePriority = Pick<AttributePriorityEntity, 'field' | 'connectorId' | 'priority'>;

export async function findAttributePriorities(tx: Transaction, tenantId: string): Promise<AttributePriority[]> {
  return tx.query<AttributePriority>(
    `select field, connector_id as "connectorId", priority from attribute_priorities
      where tenant_id = $1 order by field, priority, connector_id`,
    [tenantId],
  );
}
