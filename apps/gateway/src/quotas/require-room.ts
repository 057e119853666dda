import type { Transaction } from '@idsync/database';
import { countUsage, lockTenantQuotas } from '@idsync/database/gateway';
import { ApiError } from '../http/api-error.js';
import { quotaRefusals } from './metrics.js';

/** Throws a 403 if the tenant may have no further one. Its limits stay locked until the end of the transaction. */
export async function requireRoom(tx: Transaction, quota: 'connectors' | 'webhooks'): Promise<void> {
  const limit = (await lockTenantQuotas(tx))[quota];
  if (limit === undefined) return;
  const used = (await countUsage(tx))[quota];
  if (used < limit) return;
  quotaRefusals.add({ quota });
  throw new ApiError(403, `the quota of the tenant is ${limit} ${quota}, and it has ${used}`);
}
