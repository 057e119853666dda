import type { Message, MessageData, RecordOutcome } from '@idsync/contracts';
import {
  type Database,
  forgetMended,
  keepRecordErrors,
  lockJob,
  noteFailing,
  removeBatch,
  saveCounts,
  saveOutcome,
} from '@idsync/database';
import { announceNext } from './announce-batch.js';
import { endReadJob } from './end-job.js';
import { afterBatch, isComplete } from './job-counts.js';

/**
 * Counts a batch the directory has applied, once: whoever removes its row counts it. Returns true if it
 * was the last one.
 */
export async function applyProgress(database: Database, message: Message<'sync.batch.applied'>): Promise<boolean> {
  const { tenant_id: tenantId, data } = message;
  return database.transaction(tenantId, async (tx) => {
    const job = await lockJob(tx, tenantId, data.job_id);
    // What was in the directory's hands when the job was cancelled was applied, and is told.
    if (!job || !['running', 'cancelled'].includes(job.status)) return false;
    await forgetMended(tx, job, data.seq, data.errors);
    if (!(await removeBatch(tx, job.id, data.seq))) return false;
    await keepRecordErrors(tx, job, data.errors);
    await noteFailing(tx, job, data.errors);
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

/** What came of the one record of a batch. */
function outcomeOf({ created, updated, errors }: MessageData<'sync.batch.applied'>): RecordOutcome {
  if (errors.length > 0) return 'refused';
  if (created > 0) return 'created';
  return updated > 0 ? 'updated' : 'unchanged';
}
