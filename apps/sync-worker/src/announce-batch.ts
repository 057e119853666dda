import type { Transaction } from '@idsync/database';
import { enqueue } from '@idsync/database/bus';
import type { JobCounts, SyncJob } from '@idsync/database/sync';

/**
 * Announces a written batch to the directory. A batch of an incremental run waits until the previous ones are applied,
 * because later values of the same record must be applied later.
 */
export async function announceWritten(tx: Transaction, job: SyncJob, seq: number): Promise<void> {
  if (job.mode !== 'changes' || seq === job.batchesProcessed) await announce(tx, job, seq);
}

/** Announces the next written batch of an incremental run after a batch was applied. */
export async function announceNext(tx: Transaction, job: SyncJob, counts: JobCounts): Promise<void> {
  const { batchesProcessed: next, batchesWritten } = counts;
  if (job.mode === 'changes' && job.status === 'running' && next < batchesWritten) await announce(tx, job, next);
}

async function announce(tx: Transaction, job: SyncJob, seq: number): Promise<void> {
  const type = job.mode === 'record' ? 'sync.record.ready' : 'sync.batch.ready';
  await enqueue(tx, { type, tenantId: job.tenantId, data: { job_id: job.id, seq } });
}
