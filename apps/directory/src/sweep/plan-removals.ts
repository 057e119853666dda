import type { SourceRecord } from '@idsync/contracts';
import type { Transaction } from '@idsync/database';
import { dropEntries, openPlan, planRemoved } from '@idsync/database/directory';

/**
 * Plans the deletions that a source reports. They are applied after all other changes, as in a full run, so that a
 * replacement record still finds the old one. An earlier plan entry of a listed record is dropped.
 */
export async function planRemovals(
  tx: Transaction,
  tenantId: string,
  job: { id: string; connectorId: string },
  seq: number,
  listed: readonly SourceRecord[],
): Promise<void> {
  await dropEntries(
    tx,
    job.id,
    listed.map(({ external_id }) => external_id),
  );
  const removed = listed.filter((record) => record.removed).map(({ external_id }) => external_id);
  if (removed.length === 0) return;
  await openPlan(tx, tenantId, job);
  await planRemoved(tx, tenantId, job, seq, removed);
}
