import type { Transaction } from '@idsync/database';
import {
  countRecordsLastChangedBy,
  findJobState,
  findRecordsLastChangedBy,
  type JobState,
  lockRecordsByAnchor,
  lockRecordsById,
  type StoredRecord,
} from '@idsync/database/directory';
import { applyChanges } from '../changes/apply-changes.js';
import type { Cause } from '../changes/cause.js';
import type { RecordChange } from '../changes/record-change.js';
import { tombstoneOf } from '../matching/record-keys.js';
import { Refused } from './outcome.js';
import type { TenantChange } from './tenant-change.js';

/** Maximum number of listed records; the rest is only counted. */
const listed = 200;

const unfinished = new Set(['queued', 'running', 'quarantined']);

/**
 * Reverts every record that the job was the last to change: changed and deleted records are restored, created ones are
 * deleted. Records that changed since stay, also if a batch changes them between two parts. The next run of the source may
 * change them again.
 */
export const undoJob: TenantChange<'job.undo'> = {
  nothing: { records_restored: 0, records_removed: 0, restored: [], removed: [] },
  steps: 1,
  begin: async (tx, _, { job_id }) => {
    const { status } = await requireJob(tx, job_id);
    if (unfinished.has(status)) throw new Refused(`the job is still ${status}; cancel it first`);
  },
  count: (tx, { job_id }) => countRecordsLastChangedBy(tx, job_id),
  find: (tx, { job_id }, { after }, limit) => findRecordsLastChangedBy(tx, job_id, after, limit),
  change: async (tx, cause, { job_id }, ids, done) => {
    const { connectorId } = await requireJob(tx, job_id);
    // After a hand-over, the records belong to another connector.
    const own = (await lockRecordsById(tx, ids)).filter(
      (record) => record.connectorId === connectorId && record.lastJobId === job_id,
    );
    const taken = await findTaken(tx, connectorId, own);
    const changes = own.map((before) => undone(before, cause, taken));
    const restored: string[] = [];
    const removed: string[] = [];
    for (const { before, record } of changes) (before.previous ? restored : removed).push(record.externalId);
    await applyChanges(tx, cause, changes);
    return {
      records_restored: done.records_restored + restored.length,
      records_removed: done.records_removed + removed.length,
      restored: [...done.restored, ...restored].slice(0, listed),
      removed: [...done.removed, ...removed].slice(0, listed),
    };
  },
};

async function requireJob(tx: Transaction, jobId: string): Promise<JobState> {
  const job = await findJobState(tx, jobId);
  if (!job) throw new Refused('the job does not exist');
  return job;
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
