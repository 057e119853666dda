import type { OperationInput } from '@idsync/contracts';
import type { Transaction } from '@idsync/database';
import {
  findJobState,
  findRecordsLastChangedBy,
  lockRecordsByAnchor,
  lockRecordsById,
  type StoredRecord,
} from '@idsync/database/directory';
import { applyChanges } from '../changes/apply-changes.js';
import type { Cause } from '../changes/cause.js';
import type { RecordChange } from '../changes/record-change.js';
import { tombstoneOf } from '../matching/record-keys.js';
import { type Handler, Refused } from './outcome.js';

const chunkSize = 1_000;
/** Maximum number of listed records; the rest is only counted. */
const listed = 200;

const unfinished = new Set(['queued', 'running', 'quarantined']);

/**
 * Reverts every record that the job was the last to change: changed and deleted records are restored, created ones are
 * deleted. Records that changed since stay. The next run of the source may change them again.
 */
export const undoJob: Handler<'job.undo'> = async (tx, cause, { job_id }) => {
  const job = await findJobState(tx, job_id);
  if (!job) throw new Refused('the job does not exist');
  if (unfinished.has(job.status)) throw new Refused(`the job is still ${job.status}; cancel it first`);
  const ids = await findRecordsLastChangedBy(tx, job.connectorId, job_id);
  const restored: string[] = [];
  const removed: string[] = [];
  for (let from = 0; from < ids.length; from += chunkSize) {
    const records = await lockRecordsById(tx, ids.slice(from, from + chunkSize));
    const own = records.filter(({ lastJobId }) => lastJobId === job_id);
    const taken = await findTaken(tx, job.connectorId, own);
    const changes = own.map((before) => undone(before, cause, taken));
    for (const { before, record } of changes) (before?.previous ? restored : removed).push(record.externalId);
    await applyChanges(tx, cause, changes);
  }
  return {
    result: {
      records_restored: restored.length,
      records_removed: removed.length,
      restored: restored.slice(0, listed),
      removed: removed.slice(0, listed),
    },
  };
};

/** Returns whether an undo changes more records than one chunk has. */
export async function undoesMany(tx: Transaction, input: object): Promise<boolean> {
  const { job_id = '' } = input as Partial<OperationInput<'job.undo'>>;
  const job = await findJobState(tx, job_id);
  return job !== undefined && (await findRecordsLastChangedBy(tx, job.connectorId, job.id)).length > chunkSize;
}

/** Returns the earlier external ids that other records have in the meantime; these records keep their new ids. */
async function findTaken(
  tx: Transaction,
  connectorId: string,
  records: readonly StoredRecord[],
): Promise<ReadonlySet<string>> {
  const earlier = records.flatMap(({ previous }) => previous?.externalId ?? []);
  const taken = earlier.length > 0 ? await lockRecordsByAnchor(tx, connectorId, earlier) : [];
  return new Set(taken.map(({ externalId }) => externalId));
}

function undone(
  before: StoredRecord,
  { operationId, now }: Cause,
  taken: ReadonlySet<string>,
): RecordChange & { before: StoredRecord } {
  const { previous } = before;
  const common = { ...before, lastJobId: operationId ?? before.lastJobId, previous: undefined, updatedAt: now };
  if (!previous) return { before, record: tombstoneOf(common) };
  const { fields, status, changedAt, contentHash, externalId } = previous;
  const anchor = externalId !== undefined && !taken.has(externalId) ? { externalId } : {};
  return {
    before,
    record: { ...common, ...anchor, fields, status, changedAt, contentHash: Buffer.from(contentHash, 'base64') },
  };
}
