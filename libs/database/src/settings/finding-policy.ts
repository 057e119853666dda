import { defaultFindingPolicy, type FindingPolicy } from '@idsync/contracts';
import type { Transaction } from '../database.js';
import { FindingPolicyEntity } from '../entities/findings.entities.js';
import { findRow } from '../rows.js';

/** Returns the tenant's settings for findings, with the default of each field that it lacks. */
export async function findFindingPolicy(tx: Transaction, tenantId: string): Promise<FindingPolicy> {
  const row = await findRow(tx, FindingPolicyEntity, { where: { tenantId } });
  return { ...defaultFindingPolicy, ...row?.policy };
}
