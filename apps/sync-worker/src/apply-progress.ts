import type { Message, MessageData, RecordOutcome } from '@idsync/contracts';
import type { Database } from '@idsync/database';
import {
  deleteRecoveredRecords,
  lockJob,
  removeBatch,
  saveCounts,
  saveFailingRecords,
  saveOutcome,
  saveRecordErrors,
} from '@idsync/database/sync';
import { announceNext } from './announce-batch.js';
import { endReadJob } from './end-job.js';
import { afterBatch, isComplete } from './job-counts.js';

/**
 * Counts an applied batch and deletes its row, so that it is counted once. Returns true if it was the last one.
 */
export async function applyProgress(database: Database, message: Message<'sync.batch.applied'>): Promise<boolean> {
  const { tenant_id: tenantId, data } = message;
  return database.transaction(tenantId, async (tx) => {
    const job = await lockJob(tx, tenantId, data.job_id);
    // A batch that the directory was applying when the job was cancelled still counts.
    if (!job || !['running', 'cancelled'].includes(job.status)) return false;
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
    else {
      await saveCounts(tx, job.id, counts);
      await announceNext(tx, job, counts);
    }
    return ends;
  });
}

/** Returns the outcome of a single-record job. */
function outcomeOf({ created, updated, errors }: MessageData<'sync.batch.applied'>): RecordOutcome {
  if (errors.length > 0) return 'refused';
  if (created > 0) return 'created';
  return updated > 0 ? 'updated' : 'unchanged';
}
