import { divideRecord, type Page } from '@idsync/connectors';
import type { RecordOutcome, SourceRecord } from '@idsync/contracts';
import {
  addRetried,
  endReading,
  insertBatch,
  type Lease,
  saveCounts,
  saveFailingRecords,
  saveOutcome,
  savePosition,
  saveRecordErrors,
} from '@idsync/database/sync';
import { divideByWeight } from './divide-by-weight.js';
import { endReadJob } from './end-job.js';
import { afterPage, isComplete } from './job-counts.js';
import { announceBatches } from './job-messages.js';
import { leaveOutMachines } from './leave-out-machines.js';
import { leaveOutSuppressed } from './leave-out-suppressed.js';
import { requireSource } from './open-reading.js';
import { withLeasedJob } from './run-control.js';
import type { SyncContext } from './sync-context.js';

/** A page of the source, or of retries at its beginning. */
export interface WrittenPage extends Omit<Page, 'cursor'> {
  cursor: Page['cursor'] | null;
  /** True if it contains failing records that were read again. */
  isRetry?: boolean;
}

/**
 * Writes one page in one transaction: batches, outbox messages, errors and cursor. Each batch is thus written exactly
 * once, even if the worker is killed, and a worker that has lost its lease writes nothing. Returns the number of
 * unapplied batches.
 */
export async function writePage(context: SyncContext, lease: Lease, given: WrittenPage): Promise<number> {
  const share = await context.shares.of(lease.tenantId);
  return withLeasedJob(context, lease, async (tx, job) => {
    const source = await requireSource(tx, job.connectorId);
    const isOfPeople = source.records !== 'machine_identity';
    const selected = await leaveOutMachines(tx, source, given);
    const page = isOfPeople ? await leaveOutSuppressed(tx, job, selected, context.encryptionKeys) : selected;
    const listed = page.records.map(divideRecord);
    const read = listed.map(({ record }) => record);
    const errors = [...page.errors, ...listed.flatMap((one) => one.errors)];
    const fieldsLeftOut = errors.filter(({ field }) => field !== undefined).length;
    const records = job.mode === 'changes' || job.mode === 'record' ? latestEntries(read, page.removed) : read;
    const batches = divideByWeight(records);
    const written = afterPage(job, {
      records: records.length,
      batches: batches.length,
      errors: errors.length - fieldsLeftOut,
      fieldsLeftOut,
      last: page.last,
      fraction: page.fraction,
    });
    for (const [nth, batch] of batches.entries()) await insertBatch(tx, job, job.batchesWritten + nth, batch);
    const counts = await announceBatches(tx, job, written, share);
    const isSuppressed = page !== selected && page.records.length === 0;
    const outcome = job.mode === 'record' && (isSuppressed ? 'refused' : outcomeOf(page));
    if (outcome) await saveOutcome(tx, job.id, outcome);
    await saveRecordErrors(tx, job, outcome && isSuppressed ? [...errors, { message: suppressed }] : errors);
    await saveFailingRecords(tx, job, errors);
    if (page.isRetry) await addRetried(tx, job.id, records.length + page.errors.length);
    await saveCounts(tx, job.id, counts);
    await savePosition(tx, lease, page, context.settings.leaseMs);
    if (isComplete(counts)) await endReadJob(tx, job, counts);
    else if (page.last) await endReading(tx, lease, null);
    return counts.batchesWritten - counts.batchesProcessed;
  });
}

/** Names no record, because errors of an erased person must not. */
const suppressed = 'a suppression leaves this record out: see the list of suppressions';

/**
 * Returns the last entry of each record of an incremental or single-record page, where repetitions are allowed. A
 * record that is both removed and listed counts as listed.
 */
function latestEntries(records: readonly SourceRecord[], removed: readonly string[] = []): SourceRecord[] {
  const entries = new Map<string, SourceRecord>();
  for (const external_id of removed) entries.set(external_id, { external_id, fields: {}, removed: true });
  for (const record of records) entries.set(record.external_id, record);
  return [...entries.values()];
}

/** Returns the outcome of a single-record job if it is known before the batch is applied. */
function outcomeOf({ errors, removed = [] }: WrittenPage): RecordOutcome | undefined {
  if (errors.length > 0) return 'refused';
  return removed.length > 0 ? 'absent' : undefined;
}
