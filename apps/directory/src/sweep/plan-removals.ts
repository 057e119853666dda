import type { SourceRecord } from '@idsync/contracts';
import { dropEntries, openPlan, planRemoved, type Transaction } from '@idsync/database';

/**
 * Plans the deletion of those a source says are gone, for when all else that changed is applied: who comes in the place of
 * somebody finds them there, as in a run of everything. What was planned of a record that is named again counts no more.
 */
export async function planRemovals(
  tx: Transaction,
  tenantId: string,
  job: { id: string; connectorId: string },
  seq: number,
  said: readonly SourceRecord[],
): Promise<void> {
  await dropEntries(
    tx,
    job.id,
    said.map(({ external_id }) => external_id),
  );
  const removed = said.filter((record) => record.removed).map(({ external_id }) => external_id);
  if (removed.length === 0) return;
  await openPlan(tx, tenantId, job);
  await planRemoved(tx, tenantId, job, seq, removed);
}
