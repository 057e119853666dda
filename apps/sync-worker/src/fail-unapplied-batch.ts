import type { Message } from '@idsync/contracts';
import { type Database, lockJob, removeBatch } from '@idsync/database';
import { failJob } from './end-job.js';

/** The directory gave a batch up: its job fails, unless the batch was applied after all or the job has ended. Returns whether. */
export async function failUnappliedBatch(
  database: Database,
  { tenant_id: tenantId, data }: Message<'sync.batch.ready'>,
): Promise<boolean> {
  return database.transaction(tenantId, async (tx) => {
    const job = await lockJob(tx, tenantId, data.job_id);
    if (job?.status !== 'running' || !(await removeBatch(tx, job.id, data.seq))) return false;
    await failJob(tx, job, `batch ${data.seq + 1} could not be applied; the log of the directory says more`);
    return true;
  });
}
