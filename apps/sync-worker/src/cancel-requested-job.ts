import type { Message } from '@idsync/contracts';
import { type Database, holdBatches, lockJob } from '@idsync/database';
import { cancelJob } from './end-job.js';

const endable = ['queued', 'running', 'quarantined'];

/** Cancels a job that has not ended. Its worker notices at its next page or renewal, wherever it runs. Returns whether. */
export async function cancelRequestedJob(
  database: Database,
  { tenant_id: tenantId, data }: Message<'sync.job.cancel_requested'>,
): Promise<boolean> {
  return database.transaction(tenantId, async (tx) => {
    // First, so that what is counted below is what was applied.
    await holdBatches(tx, data.job_id);
    const job = await lockJob(tx, tenantId, data.job_id);
    if (!job || !endable.includes(job.status)) return false;
    await cancelJob(tx, job, data);
    return true;
  });
}
