import type { Message } from '@idsync/contracts';
import type { Database } from '@idsync/database';
import { blockBatches, lockJob } from '@idsync/database/sync';
import { cancelJob } from './end-job.js';

const endable = ['queued', 'running', 'quarantined'];

/**
 * Cancels a job that has not ended; its worker notices at the next page or lease renewal. Returns true if it was
 * cancelled.
 */
export async function cancelRequestedJob(
  database: Database,
  { tenant_id: tenantId, data }: Message<'sync.job.cancel_requested'>,
): Promise<boolean> {
  return database.transaction(tenantId, async (tx) => {
    // First, so that the counts below include all applied batches.
    await blockBatches(tx, data.job_id);
    const job = await lockJob(tx, tenantId, data.job_id);
    if (!job || !endable.includes(job.status)) return false;
    await cancelJob(tx, job, data);
    return true;
  });
}
