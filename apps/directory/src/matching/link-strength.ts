import type { Transaction } from '@idsync/database';
import { findUnfinishedJobs, type StoredRecord } from '@idsync/database/directory';
import type { Cause } from '../cause.js';
import type { RecordChange } from '../record-change.js';
import type { Person } from './cluster.js';

export type LinkStrengthOf = (record: StoredRecord) => Person['linkStrength'];

/**
 * Returns the identity that a user or account had when the running job began, if the job has moved it since. Its link
 * to that identity still counts, because later batches may show that the move was wrong.
 */
export function keptIdentityOf(record: StoredRecord, { jobId, reconsider }: Pick<Cause, 'jobId' | 'reconsider'>) {
  const isMoved = jobId !== undefined && record.linkedBy === jobId && record.kind !== 'machine_identity';
  return isMoved && !record.decided && !reconsider ? record.keptIdentityId : undefined;
}

/**
 * Computes how firmly each of these records is linked. Links of a running job are loose, because later batches may
 * change them, unless the record had another identity before.
 */
export async function linkStrengths(
  tx: Transaction,
  cause: Cause,
  changes: Iterable<RecordChange>,
): Promise<LinkStrengthOf> {
  const { jobId, reconsider } = cause;
  const all = [...changes];
  const placed = new Set(all.flatMap((change) => (change.placed ? change.record.id : [])));
  const linkedBy = all.map(({ record }) => record.linkedBy).filter((id) => id !== undefined);
  const unfinished = await findUnfinishedJobs(tx, [...new Set(linkedBy)]);
  if (jobId) unfinished.add(jobId);
  return (record) => {
    if (record.decided) return 'manual';
    if (record.identityId === undefined || reconsider) return 'loose';
    if (placed.has(record.id) || keptIdentityOf(record, cause) !== undefined) return 'kept';
    return record.linkedBy !== undefined && unfinished.has(record.linkedBy) ? 'loose' : 'kept';
  };
}
