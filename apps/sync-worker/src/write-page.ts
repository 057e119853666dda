import { type Page, SourceError } from '@idsync/connectors';
import {
  checkpoint,
  endReading,
  enqueue,
  findJobSource,
  insertBatch,
  keepRecordErrors,
  type Lease,
  lockLeasedJob,
  saveCounts,
} from '@idsync/database';
import { endReadJob } from './end-job.js';
import { afterPage, isComplete } from './job-counts.js';
import { Interrupted } from './run-control.js';
import type { SyncContext } from './sync-context.js';

export const connectorDeleted = 'connector was deleted';

/**
 * Writes one page in one transaction: its batch, the message that announces it, its errors, and where the source was
 * left. So a batch is there once, whenever the worker dies; and a worker that lost its lease writes nothing. Returns
 * the batches that wait for the directory now.
 */
export async function writePage({ database, settings }: SyncContext, lease: Lease, page: Page): Promise<number> {
  return database.transaction(lease.tenantId, async (tx) => {
    const job = await lockLeasedJob(tx, lease);
    if (!job) throw new Interrupted('lease lost');
    if (!(await findJobSource(tx, job.connectorId))) throw new SourceError(connectorDeleted);
    const counts = afterPage(job, {
      records: page.records.length,
      errors: page.errors.length,
      last: page.last,
      ...(page.fraction !== undefined && { fraction: page.fraction }),
    });
    if (page.records.length > 0) {
      const seq = job.batchesWritten;
      await insertBatch(tx, job, seq, page.records);
      await enqueue(tx, { type: 'sync.batch.ready', tenantId: job.tenantId, data: { job_id: job.id, seq } });
    }
    await keepRecordErrors(tx, job, page.errors);
    await saveCounts(tx, job.id, counts);
    await checkpoint(tx, lease, page.cursor, settings.leaseMs);
    if (isComplete(counts)) await endReadJob(tx, job, counts);
    else if (page.last) await endReading(tx, lease, null);
    return counts.batchesWritten - counts.batchesProcessed;
  });
}
