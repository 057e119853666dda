import type { Message } from '@idsync/contracts';
import type { Database } from '@idsync/database';
import { lockJob, saveFailingRecords, saveRecordErrors } from '@idsync/database/sync';
import { completeJob, failJob } from './end-job.js';
import { afterSweep, isComplete } from './job-counts.js';

/** Ends a job after its sweep. Returns true if the job has ended by this. */
export async function endSweep(
  database: Database,
  { tenant_id: tenantId, data }: Message<'sync.sweep.ended'>,
): Promise<boolean> {
  return database.transaction(tenantId, async (tx) => {
    const job = await lockJob(tx, tenantId, data.job_id);
    if (job?.status !== 'running' || !isComplete(job)) return false;
    await saveRecordErrors(tx, job, data.errors ?? []);
    await saveFailingRecords(tx, job, data.errors ?? []);
    const counts = afterSweep(job, data.repeated ?? 0);
    await completeJob(tx, job, counts, { deleted: data.deleted, ...(data.note !== undefined && { note: data.note }) });
    return true;
  });
}

/** Fails a job whose sweep request was dead-lettered, unless it has ended. Returns true if it failed. */
export async function failSweep(
  database: Database,
  { tenant_id: tenantId, data }: Message<'sync.sweep.requested'>,
): Promise<boolean> {
  return database.transaction(tenantId, async (tx) => {
    const job = await lockJob(tx, tenantId, data.job_id);
    if (job?.status !== 'running' || !isComplete(job)) return false;
    await failJob(tx, job, 'the deletion of unlisted records failed; see the log of the directory');
    return true;
  });
}
