import { enqueue, type Transaction } from '@idsync/database';

/** What a job said of these was passed over, and may have been the later word: their source is asked again. */
export async function tellOvertaken(
  tx: Transaction,
  tenantId: string,
  jobId: string,
  externalIds: string[],
): Promise<void> {
  if (externalIds.length === 0) return;
  await enqueue(tx, { type: 'sync.record.overtaken', tenantId, data: { job_id: jobId, external_ids: externalIds } });
}
