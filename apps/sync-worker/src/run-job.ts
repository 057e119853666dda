import { SourceError } from '@idsync/connectors';
import type { Transaction } from '@idsync/database';
import {
  type ClaimedJob,
  endReading,
  type Lease,
  lockLeasedJob,
  releaseLease,
  type SourceFailure,
  type SyncJob,
  saveCounts,
} from '@idsync/database/sync';
import { markSpanFailed } from '@idsync/runtime';
import { completeJob, failJob } from './end-job.js';
import { afterSourceFailed, isComplete } from './job-counts.js';
import { keepLease } from './keep-lease.js';
import { readSource } from './read-source.js';
import { Interrupted, type RunControl } from './run-control.js';
import type { SyncContext } from './sync-context.js';

/** Runs a claimed job until its source is read or the run is interrupted. Never throws. */
export async function runJob(context: SyncContext, job: ClaimedJob, control: RunControl): Promise<void> {
  const lease = { jobId: job.id, tenantId: job.tenantId, token: job.leaseToken };
  const stopRenewing = keepLease(context, lease, control);
  try {
    await readSource(context, job, lease, control);
  } catch (error) {
    // An aborted source may throw its own error.
    await endRun(context, lease, control.signal.aborted ? control.signal.reason : error);
  } finally {
    stopRenewing();
  }
}

async function endRun(context: SyncContext, lease: Lease, error: unknown): Promise<void> {
  const { database, log } = context;
  if (error instanceof Interrupted && error.reason !== 'worker stops') {
    log.info({ job_id: lease.jobId, reason: error.reason }, 'job interrupted');
    return;
  }
  if (!(error instanceof Interrupted)) markSpanFailed(error instanceof Error ? error.name : typeof error);
  const unexpected = !(error instanceof Interrupted || error instanceof SourceError);
  if (unexpected) log.error({ err: error, job_id: lease.jobId }, 'run of a job failed');
  try {
    await database.transaction(lease.tenantId, async (tx) => {
      const job = await lockLeasedJob(tx, lease);
      if (!job) return;
      if (error instanceof Interrupted) await releaseLease(tx, lease, { delayMs: 0, asIfNeverClaimed: true });
      else if (error instanceof SourceError) await sourceFailed(tx, lease, job, failureOf(error));
      else await retryOrFail(context, tx, lease, job);
    });
  } catch (err) {
    // The lease expires then, and another worker continues after the last page.
    log.error({ err, job_id: lease.jobId }, 'recording the end of a run failed');
  }
}

/**
 * Waits for written batches before the job ends, so that none is applied after the connector's next job has started.
 */
async function sourceFailed(tx: Transaction, lease: Lease, job: SyncJob, failure: SourceFailure): Promise<void> {
  const counts = afterSourceFailed(job);
  if (isComplete(counts)) return completeJob(tx, { ...job, ...failure }, counts);
  await saveCounts(tx, job.id, counts);
  await endReading(tx, lease, failure);
}

function failureOf({ message, code, said }: SourceError): SourceFailure {
  return { errorMessage: message, errorCode: code, sourceMessage: said ?? null };
}

async function retryOrFail({ settings }: SyncContext, tx: Transaction, lease: Lease, job: SyncJob): Promise<void> {
  if (job.attempts >= settings.errorsAllowed) return failJob(tx, job, 'internal error; see the log of the worker');
  await releaseLease(tx, lease, { delayMs: 1_000 * 2 ** job.attempts, asIfNeverClaimed: false });
}
