import type { Message } from '@idsync/contracts';
import type { Database } from '@idsync/database';
import { lockJob, removeBatch } from '@idsync/database/sync';
import { failJob } from './end-job.js';

/**
 * Fails the job of a dead-lettered batch, unless the batch was applied or the job has ended. Returns true if it failed.
 */
export async function failUnappliedBatch(
  database: Database,
  { tenant_id: tenantId, data }: Message<'sync.batch.ready'>,
): Promise<boolean> {
  return database.transaction(tenantId, async (tx) => {
    const job = await lockJob(tx, tenantId, data.job_id);
    if (job?.status !== 'running' || !(await removeBatch(tx, job.id, data.seq))) return false;
    await failJob(tx, job, `batch ${data.seq + 1} could not be applied; see the log of the directory`);
    return true;
  });
}
