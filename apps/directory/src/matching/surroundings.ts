import type { Transaction } from '@idsync/database';
import {
  findRecordsSharingValues,
  findRecordsWithUsers,
  findUnfinishedJobs,
  type StoredRecord,
} from '@idsync/database/directory';
import type { Cause } from '../cause.js';
import { append } from '../value-sets.js';
import { findCandidates, type Proposal, type Surroundings } from './find-candidates.js';
import { isDeleted } from './record-keys.js';

export async function surroundingsOf(
  tx: Transaction,
  tenantId: string,
  recordIds: ReadonlySet<string>,
): Promise<Surroundings> {
  const groups = await findRecordsSharingValues(tx, tenantId, [...recordIds]);
  const found = await findRecordsWithUsers(tx, [...new Set([...recordIds, ...groups.flat()])]);
  const sharers = new Map<string, Set<string>>();
  for (const group of groups) {
    for (const id of group) {
      if (!recordIds.has(id)) continue;
      const known = sharers.get(id) ?? new Set<string>();
      for (const other of group) known.add(other);
      sharers.set(id, known);
    }
  }
  return { records: new Map(found.map((record) => [record.id, record])), people: peopleOf(found), sharers };
}

function peopleOf(records: readonly StoredRecord[]): Map<string, StoredRecord[]> {
  const people = new Map<string, StoredRecord[]>();
  for (const record of records) {
    if (record.kind !== 'user' || isDeleted(record) || !record.identityId) continue;
    append(people, record.identityId, record);
  }
  return people;
}

export function proposalsFor(recordIds: Iterable<string>, around: Surroundings, cause: Cause): Proposal[] {
  return [...recordIds].flatMap((id) => {
    const record = around.records.get(id);
    return (record && findCandidates(record, around, cause)) ?? [];
  });
}

/**
 * Returns the proposals that the tenant's rules allow to link: unique in both directions, with one person for the
 * record and no other record of the same source for that person. Considers all similar records, not only the queued
 * ones. Excludes records that were linked by a job that has not ended; those become review cases.
 */
export async function trustedAmong(
  tx: Transaction,
  cause: Cause,
  proposals: readonly Proposal[],
  around: Surroundings,
): Promise<Set<Proposal>> {
  const asWritten = proposals.filter(({ spelling }) => spelling === 'written');
  const unique = asWritten.filter(({ tier, candidates }) => tier.when_unique === 'link' && candidates.length === 1);
  const rivals = await findRivals(tx, cause, unique, around);
  const counts = new Map<string, number>();
  for (const { record, candidates } of new Map(
    [...asWritten, ...rivals].map((each) => [each.record.id, each]),
  ).values()) {
    for (const { identity_id } of candidates) {
      const key = `${record.connectorId} ${identity_id}`;
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
  }
  const only = unique.filter(
    ({ record, candidates }) => counts.get(`${record.connectorId} ${candidates[0]?.identity_id}`) === 1,
  );
  const linkersOf = (proposal: Proposal) =>
    [proposal.record, ...usersMeant(proposal, around)].flatMap(({ linkedBy }) => linkedBy ?? []);
  const unfinished = await findUnfinishedJobs(tx, only.flatMap(linkersOf));
  return new Set(only.filter((proposal) => !linkersOf(proposal).some((id) => unfinished.has(id))));
}

/** Returns the proposals of all records that are similar to the same people. */
async function findRivals(
  tx: Transaction,
  cause: Cause,
  unique: readonly Proposal[],
  around: Surroundings,
): Promise<Proposal[]> {
  const meant = unique.flatMap((proposal) => usersMeant(proposal, around)).map(({ id }) => id);
  const rivalIds = new Set((await findRecordsSharingValues(tx, cause.tenantId, meant)).flat());
  const found = proposalsFor(rivalIds, await surroundingsOf(tx, cause.tenantId, rivalIds), cause);
  return found.filter(({ spelling }) => spelling === 'written');
}

function usersMeant({ candidates }: Proposal, { people }: Surroundings): readonly StoredRecord[] {
  return candidates.flatMap(({ identity_id }) => people.get(identity_id) ?? []);
}
