import type { SourceRecord } from '@idsync/contracts';
import type { Transaction } from '@idsync/database';
import { lockPlan, savePlan } from '@idsync/database/directory';
import type { Cause } from '../cause.js';
import type { RecordChange } from '../record-change.js';
import { destructiveActionOf } from './guard.js';
import { planChanges } from './plan-changes.js';

/**
 * Plans the changes that disable or delete a record, and returns the others. Only the sweep knows how many there are in
 * the whole run, so it applies all of them or none.
 */
export async function planDestructive(
  tx: Transaction,
  cause: Cause,
  job: { id: string; connectorId: string },
  changes: readonly RecordChange[],
  incoming: ReadonlyMap<string, SourceRecord>,
): Promise<RecordChange[]> {
  const destructive = changes.filter((change) => destructiveActionOf(change) !== undefined);
  if (destructive.length === 0) return [...changes];
  await planChanges(tx, cause, job, destructive, incoming);
  const deletions = destructive.filter((change) => destructiveActionOf(change) === 'delete').length;
  const plan = await lockPlan(tx, cause.tenantId, job);
  // The sweep counts the entries, but a sweep of the previous version of the directory relies on these sums.
  await savePlan(tx, {
    ...plan,
    deletions: plan.deletions + deletions,
    disables: plan.disables + destructive.length - deletions,
  });
  return changes.filter((change) => destructiveActionOf(change) === undefined);
}
