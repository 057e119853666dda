import { findUnfinishedJobs, type StoredRecord, type Transaction } from '@idsync/database';
import type { Cause } from '../cause.js';
import type { RecordChange } from '../record-change.js';
import type { Person } from './partition-people.js';

export type BondOf = (record: StoredRecord) => Person['bond'];

/** How firmly each of these records belongs where it is: links of a job that is still running can be found better yet. */
export async function bonds(
  tx: Transaction,
  { jobId, reconsider }: Cause,
  changes: Iterable<RecordChange>,
): Promise<BondOf> {
  const all = [...changes];
  const placed = new Set(all.flatMap((change) => (change.placed ? change.record.id : [])));
  const linkedBy = all.map(({ record }) => record.linkedBy).filter((id) => id !== undefined);
  const unfinished = await findUnfinishedJobs(tx, [...new Set(linkedBy)]);
  if (jobId) unfinished.add(jobId);
  return (record) => {
    if (record.decided) return 'decided';
    if (record.identityId === undefined || reconsider) return 'loose';
    if (placed.has(record.id)) return 'kept';
    return record.linkedBy !== undefined && unfinished.has(record.linkedBy) ? 'loose' : 'kept';
  };
}
