import type { Message } from '@idsync/contracts';
import { type Database, keepRecordErrors, lockJob, noteFailing } from '@idsync/database';
import { completeJob, failJob } from './end-job.js';
import { afterSweep, isComplete } from './job-counts.js';

/** The directory has swept: the job has nothing left to do. Returns whether it ended with it. */
export async function endSweep(
  database: Database,
  { tenant_id: tenantId, data }: Message<'sync.sweep.ended'>,
): Promise<boolean> {
  return database.transaction(tenantId, async (tx) => {
    const job = await lockJob(tx, tenantId, data.job_id);
    if (job?.status !== 'running' || !isComplete(job)) return false;
    await keepRecordErrors(tx, job, data.errors ?? []);
    await noteFailing(tx, job, data.errors ?? []);
    const counts = afterSweep(job, data.repeated ?? 0);
    await completeJob(tx, job, counts, { deleted: data.deleted, ...(data.note !== undefined && { note: data.note }) });
    return true;
  });
}

/** The directory gave the sweep up: the job fails, unless it has ended. Returns whether. */
export async function failSweep(
  database: Database,
  { tenant_id: tenantId, data }: Message<'sync.sweep.requested'>,
): Promise<boolean> {
  return database.transaction(tenantId, async (tx) => {
    const job = await lockJob(tx, tenantId, data.job_id);
    if (job?.status !== 'running' || !isComplete(job)) return false;
    await failJob(tx, job, 'what the source no longer lists could not be deleted; the log of the directory says more');
    return true;
  });
}
