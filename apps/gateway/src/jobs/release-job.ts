import type { Transaction } from '@idsync/database';
import { enqueue } from '@idsync/database/bus';

const maxBy = 200;

/** Asks the sync-worker, which owns jobs, to release a quarantined one. */
export async function releaseJob(
  tx: Transaction,
  tenantId: string,
  { jobId, reason, by }: { jobId: string; reason: string; by: string },
): Promise<void> {
  const data = { job_id: jobId, reason, by: by.slice(0, maxBy) };
  await enqueue(tx, { type: 'sync.job.release_requested', tenantId, data });
}
