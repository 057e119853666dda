import type { Transaction } from '@idsync/database';
import { findUnfinishedJobs, type StoredRecord } from '@idsync/database/directory';
import type { Cause } from '../cause.js';
import type { RecordChange } from '../record-change.js';
import type { Person } from './cluster.js';

export type LinkStrengthOf = (record: StoredRecord) => Person['linkStrength'];

/**
 * Computes how firmly each of these records is linked. Links of a running job are loose, because later batches may
 * change them.
 */
export async function linkStrengths(
  tx: Transaction,
  { jobId, reconsider }: Cause,
  changes: Iterable<RecordChange>,
): Promise<LinkStrengthOf> {
  const all = [...changes];
  const placed = new Set(all.flatMap((change) => (change.placed ? change.record.id : [])));
  const linkedBy = all.map(({ record }) => record.linkedBy).filter((id) => id !== undefined);
  const unfinished = await findUnfinishedJobs(tx, [...new Set(linkedBy)]);
  if (jobId) unfinished.add(jobId);
  return (record) => {
    if (record.decided) return 'manual';
    if (record.identityId === undefined || reconsider) return 'loose';
    if (placed.has(record.id)) return 'kept';
    return record.linkedBy !== undefined && unfinished.has(record.linkedBy) ? 'loose' : 'kept';
  };
}
