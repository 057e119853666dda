import { enqueue, type JobCounts, type SyncJob, type Transaction } from '@idsync/database';

/**
 * Tells the directory of a batch that was just written. One of changes waits until those before it are applied: what the
 * source says later of the same record must be applied later.
 */
export async function announceWritten(tx: Transaction, job: SyncJob, seq: number): Promise<void> {
  if (job.mode !== 'changes' || seq === job.batchesProcessed) await announce(tx, job, seq);
}

/** A batch was applied: the next one of changes may be, if it is written. */
export async function announceNext(tx: Transaction, job: SyncJob, counts: JobCounts): Promise<void> {
  const { batchesProcessed: next, batchesWritten } = counts;
  if (job.mode === 'changes' && job.status === 'running' && next < batchesWritten) await announce(tx, job, next);
}

async function announce(tx: Transaction, job: SyncJob, seq: number): Promise<void> {
  const type = job.mode === 'record' ? 'sync.record.ready' : 'sync.batch.ready';
  await enqueue(tx, { type, tenantId: job.tenantId, data: { job_id: job.id, seq } });
}
