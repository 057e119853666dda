import { encodeId, type Message, type MessageData, type RecordOutcome } from '@idsync/contracts';
import type { Database, Transaction } from '@idsync/database';
import { enqueue } from '@idsync/database/bus';
import {
  blockBatches,
  deleteRecoveredRecords,
  insertRecordJob,
  type JobCounts,
  lockJob,
  lockRunningBeside,
  quarantineJob,
  removeBatch,
  type SyncJob,
  saveCounts,
  saveDecision,
  saveFailingRecords,
  saveOutcome,
  saveRecordErrors,
} from '@idsync/database/sync';
import { cancelJob, completeJob, endReadJob, failJob, recordJobEvent, requestSweep } from './end-job.js';
import { afterBatch, afterSweep, isComplete, withAnnounced } from './job-counts.js';
import { quarantinedJobs, reportEnd } from './metrics.js';
import type { SyncContext } from './sync-context.js';

/** Runs `work` with the locked job of a message. Returns its result. */
function withJob(
  database: Database,
  { tenant_id: tenantId, data }: { tenant_id: string; data: { job_id: string } },
  work: (tx: Transaction, job: SyncJob) => Promise<boolean>,
): Promise<boolean> {
  return database.transaction(tenantId, async (tx) => work(tx, await lockJob(tx, data.job_id)));
}

/**
 * Counts an applied batch and deletes its row, so that it is counted once. Returns true if it was the last one.
 */
export async function applyProgress(
  { database, shares }: Pick<SyncContext, 'database' | 'shares'>,
  message: Message<'sync.batch.applied'>,
): Promise<boolean> {
  const { data } = message;
  const share = await shares.of(message.tenant_id);
  return withJob(database, message, async (tx, job) => {
    // A batch that the directory was applying when the job was cancelled still counts.
    if (!['running', 'cancelled'].includes(job.status)) return false;
    await deleteRecoveredRecords(tx, job, data.seq, data.errors);
    if (!(await removeBatch(tx, job.id, data.seq))) return false;
    await saveRecordErrors(tx, job, data.errors);
    await saveFailingRecords(tx, job, data.errors);
    const counts = afterBatch(job, {
      applied: data.created + data.updated + data.unchanged,
      failed: data.errors.length,
    });
    if (job.mode === 'record' && job.outcome === null) await saveOutcome(tx, job.id, outcomeOf(data));
    const ends = job.status === 'running' && isComplete(counts);
    if (ends) await endReadJob(tx, job, counts);
    else await saveCounts(tx, job.id, await announceBatches(tx, job, counts, share));
    return ends;
  });
}

function outcomeOf({ created, updated, errors }: MessageData<'sync.batch.applied'>): RecordOutcome {
  if (errors.length > 0) return 'refused';
  if (created > 0) return 'created';
  return updated > 0 ? 'updated' : 'unchanged';
}

/** Announces the next written batches of a running job to the directory. Returns the counts with them. */
export async function announceBatches(
  tx: Transaction,
  job: SyncJob,
  counts: JobCounts,
  share: number,
): Promise<JobCounts> {
  if (job.status !== 'running') return counts;
  const next = withAnnounced(counts, job.mode, share);
  for (let seq = counts.batchesAnnounced; seq < next.batchesAnnounced; seq += 1) await announce(tx, job, seq);
  return next;
}

async function announce(tx: Transaction, job: SyncJob, seq: number): Promise<void> {
  const type = job.mode === 'record' ? 'sync.record.ready' : 'sync.batch.ready';
  await enqueue(tx, { type, tenantId: job.tenantId, data: { job_id: job.id, seq } });
}

/** Fails the job of a dead-lettered batch, unless the batch was applied or the job has ended. Returns true if it failed. */
export function failUnappliedBatch(database: Database, message: Message<'sync.batch.ready'>): Promise<boolean> {
  const { seq } = message.data;
  return withJob(database, message, async (tx, job) => {
    if (job.status !== 'running' || !(await removeBatch(tx, job.id, seq))) return false;
    await failJob(tx, job, `batch ${seq + 1} could not be applied; see the log of the directory`);
    return true;
  });
}

/** Ends a job after its sweep. Returns true if the job has ended by this. */
export function endSweep(database: Database, message: Message<'sync.sweep.ended'>): Promise<boolean> {
  const { errors = [], repeated = 0, deleted, note } = message.data;
  return withJob(database, message, async (tx, job) => {
    if (job.status !== 'running' || !isComplete(job)) return false;
    await saveRecordErrors(tx, job, errors);
    await saveFailingRecords(tx, job, errors);
    await completeJob(tx, job, afterSweep(job, repeated), { deleted, note });
    return true;
  });
}

/** Fails a job whose sweep request was dead-lettered, unless it has ended. Returns true if it failed. */
export function failSweep(database: Database, message: Message<'sync.sweep.requested'>): Promise<boolean> {
  return withJob(database, message, async (tx, job) => {
    if (job.status !== 'running' || !isComplete(job)) return false;
    await failJob(tx, job, 'the deletion of unlisted records failed; see the log of the directory');
    return true;
  });
}

/** Quarantines a job whose sweep the deletion safeguard has stopped. Returns true if it was quarantined. */
export function quarantine(database: Database, message: Message<'sync.sweep.held'>): Promise<boolean> {
  const { note } = message.data;
  return withJob(database, message, async (tx, job) => {
    // An answer from before the release is outdated.
    if (job.status !== 'running' || job.released) return false;
    await quarantineJob(tx, job.id, note);
    tx.afterCommit(() => {
      quarantinedJobs.add({});
      reportEnd({ job, status: 'quarantined' });
    });
    const tenant = `/admin/v1/tenants/${encodeId('tenant', job.tenantId)}`;
    const plan = `${tenant}/sync-jobs/${encodeId('job', job.id)}/plan`;
    await recordJobEvent(tx, job, 'sync.job.quarantined', { reason: note, plan });
    return true;
  });
}

/**
 * Releases a quarantined job for this run. If another job of the connector is running, the job is swept when that one
 * ends. Returns false if the job is not quarantined or already released.
 */
export async function releaseJob(
  database: Database,
  { tenant_id: tenantId, data }: Message<'sync.job.release_requested'>,
): Promise<boolean> {
  return database.transaction(tenantId, async (tx) => {
    // First, as by the end of that job, which then finds this decision.
    const mustWait = await lockRunningBeside(tx, data.job_id);
    const job = await lockJob(tx, data.job_id);
    if (job.status !== 'quarantined' || job.released) return false;
    await saveDecision(tx, job.id, { action: 'released', reason: data.reason, by: data.by, at: new Date() });
    if (!mustWait) await requestSweep(tx, job);
    return true;
  });
}

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
    const job = await lockJob(tx, data.job_id);
    if (!endable.includes(job.status)) return false;
    await cancelJob(tx, job, data);
    return true;
  });
}

/**
 * Queues a job for each record that two jobs have read concurrently, because a new read is later than both. A
 * redelivered message queues one more job, which changes nothing.
 */
export function readOvertakenRecords(database: Database, message: Message<'sync.record.overtaken'>): Promise<boolean> {
  return withJob(database, message, async (tx, { connectorId }) => {
    for (const externalId of message.data.external_ids) await insertRecordJob(tx, { connectorId, externalId });
    return true;
  });
}
