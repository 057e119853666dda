import { type OperatorPolicy, operatorPolicy } from '@idsync/contracts';
import type { Transaction } from '../database.js';
import { OperatorPolicyEntity } from '../entities/audit.entities.js';
import { findRow } from '../rows.js';

/** Returns the tenant's settings for its operators, with the default of each one that it lacks. */
export async function findOperatorPolicy(tx: Transaction, tenantId: string): Promise<OperatorPolicy> {
  const row = await findRow(tx, OperatorPolicyEntity, { where: { tenantId } });
  return { ...operatorPolicy.parse({}), ...row?.policy };
}

/** Locks the settings, if the tenant has changed any, until the end of the transaction. */
export async function lockOperatorPolicy(tx: Transaction, tenantId: string): Promise<void> {
  await findRow(tx, OperatorPolicyEntity, { where: { tenantId }, lock: { mode: 'for_no_key_update' } });
}

export async function saveOperatorPolicy(tx: Transaction, tenantId: string, policy: OperatorPolicy): Promise<void> {
  await tx.manager.upsert(OperatorPolicyEntity, { tenantId, policy, updatedAt: new Date() }, ['tenantId']);
}
