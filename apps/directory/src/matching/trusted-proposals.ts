import { findSharers, findUnfinishedJobs, type StoredRecord, type Transaction } from '@idsync/database';
import type { Cause } from '../cause.js';
import { findCandidates, type Proposal } from './find-candidates.js';
import { type Surroundings, surroundingsOf } from './surroundings.js';

export function proposalsFor(recordIds: Iterable<string>, around: Surroundings, cause: Cause): Proposal[] {
  return [...recordIds].flatMap((id) => {
    const record = around.records.get(id);
    return (record && findCandidates(record, around, cause)) ?? [];
  });
}

/**
 * Those that the tenant's rules trust because they are unique both ways: one person for the record, and no other record of
 * the same source for that person. All that resembles the person is looked at, whether it was to be compared now or not.
 * Where a job that has not ended put one of them, nothing is kept by a link: it is asked about.
 */
export async function trustedAmong(
  tx: Transaction,
  cause: Cause,
  proposals: readonly Proposal[],
  around: Surroundings,
): Promise<Set<Proposal>> {
  const unique = proposals.filter(({ tier, candidates }) => tier.when_unique === 'link' && candidates.length === 1);
  const rivals = await findRivals(tx, cause, unique, around);
  const counts = new Map<string, number>();
  for (const { record, candidates } of new Map(
    [...proposals, ...rivals].map((each) => [each.record.id, each]),
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

/** What could be proposed of everybody who resembles the same people. */
async function findRivals(
  tx: Transaction,
  cause: Cause,
  unique: readonly Proposal[],
  around: Surroundings,
): Promise<Proposal[]> {
  const meant = unique.flatMap((proposal) => usersMeant(proposal, around)).map(({ id }) => id);
  const rivalIds = new Set((await findSharers(tx, cause.tenantId, meant)).flat());
  return proposalsFor(rivalIds, await surroundingsOf(tx, cause.tenantId, rivalIds), cause);
}

function usersMeant({ candidates }: Proposal, { people }: Surroundings): readonly StoredRecord[] {
  return candidates.flatMap(({ identity_id }) => people.get(identity_id) ?? []);
}
