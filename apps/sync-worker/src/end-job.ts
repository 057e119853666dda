import { type EventType, encodeId } from '@idsync/contracts';
import type { Transaction } from '@idsync/database';
import { enqueue, recordEvents } from '@idsync/database/bus';
import {
  blockBatches,
  countSetAside,
  deleteStaleFailingRecords,
  endJob,
  findFirstRecordError,
  type JobCounts,
  type JobEnd,
  lockReleasedJob,
  lockRunningBeside,
  markSweepRequested,
  type SyncJob,
  saveCheckpoint,
  saveCounts,
  saveDecision,
  saveLastJob,
  saveOutcome,
} from '@idsync/database/sync';
import { afterEnd, decideOutcome, leftOut, withoutSource } from './job-counts.js';
import { endedJobs, reportEnd } from './metrics.js';

const eventOfEnd = {
  completed: 'sync.job.completed',
  completed_with_errors: 'sync.job.completed',
  failed: 'sync.job.failed',
  cancelled: 'sync.job.cancelled',
} as const satisfies Record<JobEnd['status'], EventType>;

/** Whether the source could be read; unknown for a cancelled job. */
const couldReadSource = { completed: true, completed_with_errors: true, failed: false, cancelled: undefined };

export interface Swept {
  deleted: number;
  note?: string;
}

/** Requests the sweep of a locked job whose batches are all applied, or ends the job if its source failed. */
export async function endReadJob(tx: Transaction, job: SyncJob, counts: JobCounts): Promise<void> {
  if (job.errorMessage !== null) return completeJob(tx, job, counts);
  await saveCounts(tx, job.id, counts);
  await requestSweep(tx, job);
}

export async function requestSweep(tx: Transaction, job: SyncJob): Promise<void> {
  await markSweepRequested(tx, job.id);
  await enqueue(tx, { type: 'sync.sweep.requested', tenantId: job.tenantId, data: { job_id: job.id } });
}

/** Ends a locked job. Call every function that ends a job last in its transaction. */
export async function completeJob(
  tx: Transaction,
  job: SyncJob,
  counts: JobCounts,
  swept: Swept = { deleted: 0 },
): Promise<void> {
  const firstError =
    counts.recordsFailed + counts.fieldsLeftOut > 0 ? await findFirstRecordError(tx, job.id) : undefined;
  const outcome = decideOutcome(job, counts, firstError);
  // A sweep with a note could not prove that the run was complete, so the next run starts at the same checkpoint.
  if (outcome.status !== 'failed' && !job.dryRun && job.mode !== 'record') {
    if (swept.note === undefined) await saveCheckpoint(tx, job);
    if (job.mode === 'full') await deleteStaleFailingRecords(tx, job);
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

/** Waits for batches that are being applied, because the connector's next job must not start before they end. */
export async function failJob(tx: Transaction, job: SyncJob, errorMessage: string): Promise<void> {
  await blockBatches(tx, job.id);
  await end(tx, job, { ...job, status: 'failed', ...withoutSource(errorMessage), cancelReason: null });
}

export async function cancelJob(
  tx: Transaction,
  job: SyncJob,
  { reason, by }: { reason?: string; by?: string },
): Promise<void> {
  await saveDecision(tx, job.id, { action: 'cancelled', reason, by, at: new Date() });
  // Records that a held job has set aside counted as applied, so that its source was known to be read completely.
  const setAside = job.status === 'quarantined' ? await countSetAside(tx, job.id) : 0;
  const counts = { ...job, recordsApplied: job.recordsApplied - setAside };
  await end(tx, job, { ...counts, status: 'cancelled', ...withoutSource(null), cancelReason: reason ?? null });
}

async function end(tx: Transaction, job: SyncJob, jobEnd: JobEnd): Promise<void> {
  const error = jobEnd.status === 'completed_with_errors' ? leftOut(jobEnd) : jobEnd.errorMessage;
  const { seconds } = await endJob(tx, job.id, jobEnd);
  tx.afterCommit(() => {
    endedJobs.observe({ outcome: jobEnd.status }, seconds);
    reportEnd({ job, status: jobEnd.status });
  });
  // A single-record job does not prove whether its source can be read.
  if (!job.dryRun && job.mode !== 'record') await saveLastJob(tx, job, couldReadSource[jobEnd.status]);
  const released = job.mode === 'record' ? undefined : await lockReleasedJob(tx, job.connectorId);
  // A cancelled job may have been queued behind another one, which still runs.
  if (released && !(await lockRunningBeside(tx, released.id))) await requestSweep(tx, released);
  await enqueue(tx, { type: 'sync.job.ended', tenantId: job.tenantId, data: { job_id: job.id } });
  await recordJobEvent(tx, job, eventOfEnd[jobEnd.status], {
    status: jobEnd.status,
    records_read: jobEnd.recordsRead,
    records_applied: jobEnd.recordsApplied,
    records_failed: jobEnd.recordsFailed,
    records_deleted: jobEnd.recordsDeleted ?? 0,
    ...(job.dryRun && { dry_run: true }),
    ...(jobEnd.note !== undefined && { note: jobEnd.note }),
    ...(error !== null && { error }),
    ...(jobEnd.errorCode !== null && { error_code: jobEnd.errorCode }),
    ...(jobEnd.cancelReason !== null && { reason: jobEnd.cancelReason }),
  });
}

/** Records an event with the ids of the job and its connector. */
export async function recordJobEvent(tx: Transaction, job: JobIds, type: EventType, details?: object): Promise<void> {
  const ids = { job_id: encodeId('job', job.id), connector_id: encodeId('connector', job.connectorId) };
  await recordEvents(tx, [{ type, subjectId: job.id, jobId: job.id, details: { ...ids, ...details } }]);
}

type JobIds = Pick<SyncJob, 'id' | 'tenantId' | 'connectorId'>;
