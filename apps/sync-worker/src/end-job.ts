import { type EventType, encodeId } from '@idsync/contracts';
import {
  endJob,
  enqueue,
  findFirstRecordError,
  forgetOtherFailing,
  holdBatches,
  type JobCounts,
  type JobEnd,
  keepCheckpoint,
  markSweepAsked,
  noteLastJob,
  recordEvents,
  type SyncJob,
  saveCounts,
  saveDecision,
  saveOutcome,
  type Transaction,
} from '@idsync/database';
import { afterEnd } from './job-counts.js';
import { tellEnd } from './job-ends.js';
import { decideOutcome, leftOut } from './job-outcome.js';
import { endedJobs } from './metrics.js';

const eventOfEnd = {
  completed: 'sync.job.completed',
  completed_with_errors: 'sync.job.completed',
  failed: 'sync.job.failed',
  cancelled: 'sync.job.cancelled',
} as const satisfies Record<JobEnd['status'], EventType>;

/** Whether it could be read; a job that was cancelled does not tell. */
const saysOfSource = { completed: true, completed_with_errors: true, failed: false, cancelled: undefined };

/** What came of the sweep. */
export interface Swept {
  deleted: number;
  note?: string;
}

/** All batches of a locked job are applied: the directory sweeps, unless the source failed. */
export async function endReadJob(tx: Transaction, job: SyncJob, counts: JobCounts): Promise<void> {
  if (job.errorMessage !== null) return completeJob(tx, job, counts);
  await saveCounts(tx, job.id, counts);
  await askForSweep(tx, job);
}

export async function askForSweep(tx: Transaction, job: SyncJob): Promise<void> {
  await markSweepAsked(tx, job.id);
  await enqueue(tx, { type: 'sync.sweep.requested', tenantId: job.tenantId, data: { job_id: job.id } });
}

/** Ends a locked job that has nothing left to do. Call it last in a transaction, as all that end a job. */
export async function completeJob(
  tx: Transaction,
  job: SyncJob,
  counts: JobCounts,
  swept: Swept = { deleted: 0 },
): Promise<void> {
  const firstError = counts.recordsFailed > 0 ? await findFirstRecordError(tx, job.id) : undefined;
  const outcome = decideOutcome(job.errorMessage, counts, firstError);
  // What could not be proved complete leaves the next run to begin where this one did.
  if (outcome.status !== 'failed' && !job.dryRun && job.mode !== 'record') {
    if (swept.note === undefined) await keepCheckpoint(tx, job);
    if (job.mode === 'full') await forgetOtherFailing(tx, job);
  }
  if (job.mode === 'record' && swept.deleted > 0) await saveOutcome(tx, job.id, 'deleted');
  await end(tx, job, {
    ...afterEnd(counts, outcome.status !== 'failed'),
    ...outcome,
    cancelReason: null,
    recordsDeleted: swept.deleted,
    ...(swept.note !== undefined && { note: swept.note }),
  });
}

/** Waits for batches that are being applied: the connector's next job must not begin beside them. */
export async function failJob(tx: Transaction, job: SyncJob, errorMessage: string): Promise<void> {
  await holdBatches(tx, job.id);
  await end(tx, job, { ...job, status: 'failed', errorMessage, cancelReason: null });
}

export async function cancelJob(
  tx: Transaction,
  job: SyncJob,
  { reason, by }: { reason?: string; by?: string },
): Promise<void> {
  await saveDecision(tx, job.id, { action: 'cancelled', reason, by, at: new Date() });
  await end(tx, job, { ...job, status: 'cancelled', errorMessage: null, cancelReason: reason ?? null });
}

async function end(tx: Transaction, job: SyncJob, jobEnd: JobEnd): Promise<void> {
  const error = jobEnd.status === 'completed_with_errors' ? leftOut(jobEnd) : jobEnd.errorMessage;
  const { endedAt, seconds } = await endJob(tx, job.id, jobEnd);
  tx.afterCommit(() => {
    endedJobs.observe({ outcome: jobEnd.status }, seconds);
    tellEnd({ job, status: jobEnd.status });
  });
  // One record says nothing of its source.
  if (!job.dryRun && job.mode !== 'record') await noteLastJob(tx, job, saysOfSource[jobEnd.status]);
  await enqueue(tx, { type: 'sync.job.ended', tenantId: job.tenantId, data: { job_id: job.id } });
  await recordEvents(tx, job.tenantId, [
    {
      type: eventOfEnd[jobEnd.status],
      occurredAt: endedAt,
      subjectId: job.id,
      jobId: job.id,
      details: {
        job_id: encodeId('job', job.id),
        connector_id: encodeId('connector', job.connectorId),
        status: jobEnd.status,
        records_read: jobEnd.recordsRead,
        records_applied: jobEnd.recordsApplied,
        records_failed: jobEnd.recordsFailed,
        records_deleted: jobEnd.recordsDeleted ?? 0,
        ...(job.dryRun && { dry_run: true }),
        ...(jobEnd.note !== undefined && { note: jobEnd.note }),
        ...(error !== null && { error }),
        ...(jobEnd.cancelReason !== null && { reason: jobEnd.cancelReason }),
      },
    },
  ]);
}
