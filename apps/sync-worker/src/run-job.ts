import { SourceError } from '@idsync/connectors';
import {
  type ClaimedJob,
  endReading,
  type Lease,
  lockLeasedJob,
  releaseLease,
  type SyncJob,
  saveCounts,
  type Transaction,
} from '@idsync/database';
import { noteFailure } from '@idsync/runtime';
import { completeJob, failJob } from './end-job.js';
import { afterSourceFailed, isComplete } from './job-counts.js';
import { keepLease } from './keep-lease.js';
import { readSource } from './read-source.js';
import { Interrupted, type RunControl } from './run-control.js';
import type { SyncContext } from './sync-context.js';

/** Works on a claimed job until its source is read, or until something else ends the run. Never throws. */
export async function runJob(context: SyncContext, job: ClaimedJob, control: RunControl): Promise<void> {
  const lease = { jobId: job.id, tenantId: job.tenantId, token: job.leaseToken };
  const stopRenewing = keepLease(context, lease, control);
  try {
    await readSource(context, job, lease, control);
  } catch (error) {
    // A source that is told to stop may say so in words of its own.
    await settle(context, lease, control.signal.aborted ? control.signal.reason : error);
  } finally {
    stopRenewing();
  }
}

async function settle(context: SyncContext, lease: Lease, error: unknown): Promise<void> {
  const { database, log } = context;
  if (error instanceof Interrupted && error.reason !== 'worker stops') {
    log.info(`left job ${lease.jobId}: ${error.reason}`);
    return;
  }
  if (!(error instanceof Interrupted)) noteFailure(error instanceof Error ? error.name : typeof error);
  const unexpected = !(error instanceof Interrupted || error instanceof SourceError);
  if (unexpected) log.error(`job ${lease.jobId}: ${error instanceof Error ? error.stack : String(error)}`);
  try {
    await database.transaction(lease.tenantId, async (tx) => {
      const job = await lockLeasedJob(tx, lease);
      if (!job) return;
      if (error instanceof Interrupted) await releaseLease(tx, lease, { delayMs: 0, asIfNeverClaimed: true });
      else if (error instanceof SourceError) await sourceFailed(tx, lease, job, error.message);
      else await retryOrFail(context, tx, lease, job);
    });
  } catch (problem) {
    // Then the lease runs out, and whoever takes the job over starts at its last page.
    log.error(`job ${lease.jobId} left as it is: ${String(problem)}`);
  }
}

/** What was read before is applied first, so that nothing of this job comes after the connector's next one. */
async function sourceFailed(tx: Transaction, lease: Lease, job: SyncJob, message: string): Promise<void> {
  const counts = afterSourceFailed(job);
  if (isComplete(counts)) return completeJob(tx, { ...job, errorMessage: message }, counts);
  await saveCounts(tx, job.id, counts);
  await endReading(tx, lease, message);
}

async function retryOrFail({ settings }: SyncContext, tx: Transaction, lease: Lease, job: SyncJob): Promise<void> {
  if (job.attempts >= settings.errorsAllowed)
    return failJob(tx, job, 'internal error; the log of the worker says more');
  await releaseLease(tx, lease, { delayMs: 1_000 * 2 ** job.attempts, asIfNeverClaimed: false });
}
