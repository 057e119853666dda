// SQL by hand: the directory reads it for every batch.
import { defaultLifecyclePolicy, type LifecyclePolicy } from '@idsync/contracts';
import type { Transaction } from '../database.js';

/** Returns the tenant's policy, with the default of each field that it lacks. */
export async function findLifecyclePolicy(tx: Transaction, tenantId: string): Promise<LifecyclePolicy> {
  const [row] = await tx.query<{ policy: Partial<LifecyclePolicy> }>(
    'select policy from lifecycle_policies where tenant_id = $1',
    [tenantId],
  );
  return { ...defaultLifecyclePolicy, ...row?.policy };
}
