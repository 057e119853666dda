import type { Transaction } from '../database.js';

export interface AttributePriority {
  /** A public attribute name, or `*` for all that have no priority of their own. */
  field: string;
  connectorId: string;
  priority: number;
}

export async function findAttributePriorities(tx: Transaction, tenantId: string): Promise<AttributePriority[]> {
  return tx.query<AttributePriority>(
    `select field, connector_id as "connectorId", priority from attribute_priorities
      where tenant_id = $1 order by field, priority, connector_id`,
    [tenantId],
  );
}

/** Replaces all of a tenant's. */
export async function saveAttributePriorities(
  tx: Transaction,
  tenantId: string,
  priorities: readonly AttributePriority[],
): Promise<void> {
  await tx.query('delete from attribute_priorities where tenant_id = $1', [tenantId]);
  if (priorities.length === 0) return;
  await tx.query(
    `insert into attribute_priorities (tenant_id, field, connector_id, priority)
     select $1, * from unnest($2::text[], $3::uuid[], $4::integer[])`,
    [
      tenantId,
      priorities.map(({ field }) => field),
      priorities.map(({ connectorId }) => connectorId),
      priorities.map(({ priority }) => priority),
    ],
  );
}
