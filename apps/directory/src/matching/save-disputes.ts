import { newUuid } from '@idsync/contracts';
import type { Transaction } from '@idsync/database';
import {
  type CaseCandidate,
  findCasesOf,
  type ReviewCase,
  type StoredRecord,
  saveCases,
  settleCases,
} from '@idsync/database/directory';
import type { Cause } from '../changes/cause.js';
import type { PlacedRecords } from './place-records.js';
import type { DisputedRecord, Doubt } from './relate-clusters.js';

/**
 * Opens a review case for every record whose match keys fit several people, or one person in doubt, and closes cases
 * that are resolved by now.
 */
export async function saveDisputes(tx: Transaction, { now }: Cause, placed: PlacedRecords): Promise<void> {
  const changes = [...placed.changes.values()];
  const disputed = new Set(placed.disputes.map(({ record }) => record.id));
  const resolved = changes.flatMap(({ before }) =>
    before && !disputed.has(before.id) && !placed.loadedForMachines.has(before.id) ? before.id : [],
  );
  await settleCases(tx, resolved, 'contested', now);
  const linked = changes.flatMap(({ record, before }) =>
    before && record.kind === 'account' && record.identityId && !before.identityId ? record.id : [],
  );
  await settleCases(tx, linked, undefined, now);
  const earlier = await findCasesOf(tx, [...disputed]);
  const cases = placed.disputes.map((dispute) => caseOf(dispute, now));
  const wanted = cases.filter((each) => hasNewCandidate(each.candidates, earlier.get(each.recordId)?.decided));
  // An open case may have lost the candidate that the ignored one did not have.
  const ignored = cases.flatMap((each) =>
    !wanted.includes(each) && earlier.get(each.recordId)?.open ? each.recordId : [],
  );
  await settleCases(tx, ignored, 'contested', now);
  await saveCases(tx, wanted);
}

const reasons: Record<Doubt | 'linked_elsewhere' | 'several', { reason: string; evidence?: string }> = {
  several: { reason: 'belongs to several people' },
  other_name: { reason: 'belongs to a person with another name', evidence: 'the names have nothing in common' },
  other_number: {
    reason: 'belongs to a person with another permanent key',
    evidence: 'another permanent key differs',
  },
  has_left: {
    reason: 'belongs to a person who has left',
    evidence: 'only one of them is active',
  },
  changed_number: {
    reason: 'differs from that of the person it is linked to',
    evidence: 'it was linked before one of them was changed',
  },
  shared_address: {
    reason: 'links it, and belongs to another person, too',
    evidence: 'nothing else connects the record with its person',
  },
  linked_elsewhere: {
    reason: 'belongs to another person than the one it is linked to',
    evidence: 'the person it is linked to does not have it',
  },
  listed_before: {
    reason: 'belongs to a deleted record of the same source',
    evidence: 'the source no longer lists the other record',
  },
  given_up: {
    reason: 'belonged to a deleted record of this person',
    evidence: 'no present record of this person has it',
  },
  same_source: { reason: 'belongs to another record of the same source', evidence: 'one source lists both' },
};

function caseOf({ record, further = [], ...strongest }: DisputedRecord, now: Date): Omit<ReviewCase, 'status'> {
  const { key, doubt } = strongest;
  const candidates = new Map<string, CaseCandidate>();
  for (const each of [strongest, ...further]) {
    for (const id of each.candidates) {
      if (!candidates.has(id))
        candidates.set(id, { identity_id: id, score: 1, evidence: evidenceOf(each, id, record) });
    }
  }
  return {
    id: newUuid(),
    recordId: record.id,
    kind: 'contested',
    reason: `${key.kind} ${JSON.stringify(key.value)} ${reasons[doubt ?? 'several'].reason}`,
    candidates: [...candidates.values()],
    openedAt: now,
  };
}

function evidenceOf(
  { key, doubt }: Pick<DisputedRecord, 'key' | 'doubt'>,
  candidate: string,
  { identityId }: StoredRecord,
): string[] {
  const isOwn = candidate === identityId;
  if ((doubt === 'changed_number' || doubt === 'shared_address') && !isOwn) return [`${key.kind} is the same`];
  const { evidence } = reasons[doubt ?? 'several'];
  return [`${key.kind} ${doubt === 'changed_number' ? 'differs' : 'is the same'}`, ...(evidence ? [evidence] : [])];
}

/** Returns false if an operator has ignored a case of the record with all of these candidates, and decided none since. */
export function hasNewCandidate(candidates: readonly CaseCandidate[], decided: ReviewCase | undefined): boolean {
  if (decided?.status !== 'ignored') return true;
  const known = new Set(decided.candidates.map(({ identity_id }) => identity_id));
  return candidates.some(({ identity_id }) => !known.has(identity_id));
}
