import { deletedStatus } from '@idsync/contracts';
import type { JobState, StoredRecord } from '@idsync/database/directory';
import { isDeleted } from '../matching/record-keys.js';
import type { RecordChange } from '../record-change.js';

/** Returns the deletions of missing records, without those that are deleted already or overtaken (by external id). */
export function deletionsOf(
  missing: readonly StoredRecord[],
  overtaken: ReadonlySet<string>,
  job: Pick<JobState, 'id' | 'batchesTotal'>,
  now: Date,
): RecordChange[] {
  return missing
    .filter((before) => !isDeleted(before) && !overtaken.has(before.externalId))
    .map((before) => ({ before, record: tombstoneOf(before, job, now) }));
}

/** Marks a record as deleted. Without a hash, it is applied again when its source lists it again. */
function tombstoneOf(
  before: StoredRecord,
  { id, batchesTotal }: Pick<JobState, 'id' | 'batchesTotal'>,
  now: Date,
): StoredRecord {
  return {
    ...before,
    status: deletedStatus[before.kind],
    contentHash: Buffer.alloc(0),
    lastJobId: id,
    lastSeq: batchesTotal ?? 0,
    updatedAt: now,
  };
}
