import type { Transaction } from '@idsync/database';
import { enqueue } from '@idsync/database/bus';

/** Requests a new read of records whose entries in a job were ignored, because those entries may have been newer. */
export async function reportOvertaken(
  tx: Transaction,
  tenantId: string,
  jobId: string,
  externalIds: string[],
): Promise<void> {
  if (externalIds.length === 0) return;
  await enqueue(tx, { type: 'sync.record.overtaken', tenantId, data: { job_id: jobId, external_ids: externalIds } });
}
