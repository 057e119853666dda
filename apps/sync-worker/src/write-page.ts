import { type Page, SourceError } from '@idsync/connectors';
import type { RecordOutcome, SourceRecord } from '@idsync/contracts';
import {
  endReading,
  findJobSource,
  insertBatch,
  keepRecordErrors,
  type Lease,
  lockLeasedJob,
  moveOn,
  noteFailing,
  saveCounts,
  saveOutcome,
} from '@idsync/database';
import { announceWritten } from './announce-batch.js';
import { endReadJob } from './end-job.js';
import { afterPage, isComplete } from './job-counts.js';
import { Interrupted } from './run-control.js';
import { connectorDeleted } from './settle-mode.js';
import type { SyncContext } from './sync-context.js';

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
    const records = job.mode === 'changes' || job.mode === 'record' ? lastWords(page) : page.records;
    const counts = afterPage(job, {
      records: records.length,
      errors: page.errors.length,
      last: page.last,
      ...(page.fraction !== undefined && { fraction: page.fraction }),
    });
    if (records.length > 0) {
      const seq = job.batchesWritten;
      await insertBatch(tx, job, seq, records);
      await announceWritten(tx, job, seq);
    }
    const outcome = job.mode === 'record' && outcomeOf(page);
    if (outcome) await saveOutcome(tx, job.id, outcome);
    await keepRecordErrors(tx, job, page.errors);
    await noteFailing(tx, job, page.errors);
    await saveCounts(tx, job.id, counts);
    await moveOn(tx, lease, page, settings.leaseMs);
    if (isComplete(counts)) await endReadJob(tx, job, counts);
    else if (page.last) await endReading(tx, lease, null);
    return counts.batchesWritten - counts.batchesProcessed;
  });
}

/** What a page of changes, or of one record, says of each record. That a record changed twice is no mistake; one that is both gone and there, is there. */
function lastWords({ records, removed = [] }: Page): SourceRecord[] {
  const words = new Map<string, SourceRecord>();
  for (const external_id of removed) words.set(external_id, { external_id, fields: {}, removed: true });
  for (const record of records) words.set(record.external_id, record);
  return [...words.values()];
}

/** What is known of one record before the directory has seen it. */
function outcomeOf({ errors, removed = [] }: Page): RecordOutcome | undefined {
  if (errors.length > 0) return 'refused';
  return removed.length > 0 ? 'absent' : undefined;
}
