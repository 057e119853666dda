import type { RecordKind } from '@idsync/contracts';
import type { Transaction } from '@idsync/database';
import { countPeople, findTenantQuotas } from '@idsync/database/settings';
import type { RecordChange } from '../changes/record-change.js';
import { isDeleted } from '../matching/record-keys.js';
import { peopleLeftOut } from '../shared/metrics.js';
import type { LeftOut } from './divide-batch.js';

/** Returns the limit on users of the tenant, if a job of these records may exceed one. */
export async function peopleLimit(tx: Transaction, kind: RecordKind): Promise<number | undefined> {
  return kind === 'user' ? (await findTenantQuotas(tx)).people : undefined;
}

/** Job error for a new user that is left out. The next run that lists the user tries again. */
export function beyondQuota(externalId: string, limit: number): LeftOut {
  return { external_id: externalId, message: `a new user beyond the quota of ${limit} people of the tenant` };
}

/**
 * Leaves out new users beyond the limit, and keeps all other changes. The transaction must be the only one that adds users
 * to the tenant.
 */
export async function withinQuota(
  tx: Transaction,
  limit: number | undefined,
  changes: readonly RecordChange[],
): Promise<{ admitted: RecordChange[]; leftOut: LeftOut[] }> {
  if (limit === undefined || !changes.some(addsUser)) return { admitted: [...changes], leftOut: [] };
  const removed = changes.filter(removesUser).length;
  let room = limit - (await countPeople(tx)) + removed;
  const admitted: RecordChange[] = [];
  const leftOut: LeftOut[] = [];
  for (const change of changes) {
    if (!addsUser(change)) admitted.push(change);
    else if (room > 0) {
      room -= 1;
      admitted.push(change);
    } else leftOut.push(beyondQuota(change.record.externalId, limit));
  }
  tx.afterCommit(() => peopleLeftOut.add({}, leftOut.length));
  return { admitted, leftOut };
}

function removesUser({ before, record }: RecordChange): boolean {
  return record.kind === 'user' && isDeleted(record) && before !== undefined && !isDeleted(before);
}

/** A deleted user who is listed again counts as a new one. */
function addsUser({ before, record }: RecordChange): boolean {
  return record.kind === 'user' && !isDeleted(record) && (before === undefined || isDeleted(before));
}
