import { goneStatus, type OperationInput } from '@idsync/contracts';
import {
  findJobState,
  findRecordsLastChangedBy,
  lockRecordsById,
  type StoredRecord,
  type Transaction,
} from '@idsync/database';
import { applyChanges } from '../apply-changes.js';
import type { Cause } from '../cause.js';
import type { RecordChange } from '../record-change.js';
import { type Outcome, Previewed, Refused } from './outcome.js';

const portion = 1_000;
/** Records that are listed one by one; the rest is counted. */
const listed = 200;

const unfinished = new Set(['queued', 'running', 'quarantined']);

/**
 * Puts every record that a job was the last to change back to what it was before: what it changed is restored, what it
 * brought is deleted, what it deleted is back. What somebody changed since stays. The next run of the source has the
 * last word again.
 */
export async function undoJob(
  tx: Transaction,
  cause: Cause,
  { job_id, preview }: OperationInput<'job.undo'>,
): Promise<Outcome> {
  const job = await findJobState(tx, job_id);
  if (!job) throw new Refused('there is no such job');
  if (unfinished.has(job.status)) throw new Refused(`the job is still ${job.status}; cancel it first`);
  const ids = await findRecordsLastChangedBy(tx, job.connectorId, job_id);
  const restored: string[] = [];
  const removed: string[] = [];
  for (let from = 0; from < ids.length; from += portion) {
    const records = await lockRecordsById(tx, ids.slice(from, from + portion));
    const changes = records.filter(({ lastJobId }) => lastJobId === job_id).map((before) => undone(before, cause));
    for (const { before, record } of changes) (before?.previous ? restored : removed).push(record.externalId);
    await applyChanges(tx, cause, changes);
  }
  const result = {
    records_restored: restored.length,
    records_removed: removed.length,
    restored: restored.slice(0, listed),
    removed: removed.slice(0, listed),
  };
  if (preview) throw new Previewed(result);
  return { result };
}

function undone(before: StoredRecord, { operationId, now }: Cause): RecordChange & { before: StoredRecord } {
  const { previous } = before;
  const common = { ...before, lastJobId: operationId ?? before.lastJobId, previous: undefined, updatedAt: now };
  if (!previous) {
    // Without a hash, it is applied again as soon as its source lists it again.
    return { before, record: { ...common, status: goneStatus[before.kind], contentHash: Buffer.alloc(0) } };
  }
  const { fields, status, changedAt, contentHash } = previous;
  return { before, record: { ...common, fields, status, changedAt, contentHash: Buffer.from(contentHash, 'base64') } };
}
