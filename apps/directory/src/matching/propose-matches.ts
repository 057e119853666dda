import { newUuid } from '@idsync/contracts';
import type { Database, Transaction } from '@idsync/database';
import {
  type CasesOfRecord,
  findCasesOf,
  findComparable,
  findRecordsSharingValues,
  findRecordsWithUsers,
  findUnfinishedJobs,
  forgetLinkedAccounts,
  isQueueReady,
  lockRecordsById,
  type StoredRecord,
  saveCases,
  settleCases,
  takeQueued,
} from '@idsync/database/directory';
import { applyInHalves, NotApplicable, runChunk } from '../batch/divide-batch.js';
import { applyChanges } from '../changes/apply-changes.js';
import { type Cause, causedAt, loadTenant } from '../changes/cause.js';
import type { RecordChange, Settled } from '../changes/record-change.js';
import { append, byId } from '../shared/collections.js';
import { findCandidates, type Proposal, type Surroundings } from './find-candidates.js';
import { fuzzyEvidence } from './fuzzy-links.js';
import { isDeleted } from './record-keys.js';
import { hasNewCandidate } from './save-disputes.js';

/** Records per transaction, each loaded with the records that share a fuzzy value with it. */
const chunkSize = 300;

/**
 * Processes the fuzzy-match queue: opens review cases, or links where the tenant's rules allow it for a unique match.
 * Waits while a job of people runs, because a namesake can look unique in a partially read source. Safe to kill:
 * records leave the queue in the transaction that compares them. Stops at `until`; the next call continues.
 */
export async function proposeMatches(
  database: Database,
  tenantId: string,
  { until, fixedTime }: { until?: Date; fixedTime?: Date | undefined } = {},
): Promise<void> {
  for (;;) {
    const more = await runChunk(database, tenantId, chunkSize, async (tx, size) => {
      if (!(await isQueueReady(tx))) return false;
      const tenant = await loadTenant(tx, true);
      // Checked again under the lock: a job that starts from now on waits for it.
      if (!(await isQueueReady(tx))) return false;
      const queued = await takeQueued(tx, size);
      await compareRecords(tx, { ...tenant, ...causedAt(fixedTime) }, queued);
      return queued.length === size;
    });
    if (!more || (until && Date.now() >= until.getTime())) return;
  }
}

interface Compared {
  linked: Settled[];
  /** Proposals for which a case was opened or updated. */
  proposed: Proposal[];
}

/** Compares those of these records that can match, and all records that share a fuzzy value with them. */
export async function compareRecords(tx: Transaction, cause: Cause, recordIds: readonly string[]): Promise<Compared> {
  const { now } = cause;
  const comparable = await findComparable(tx, recordIds);
  const sharing = await findRecordsSharingValues(tx, [...comparable]);
  const subjectIds = new Set([...comparable, ...sharing.flat()]);
  const around = await surroundingsOf(tx, subjectIds);
  const proposals = proposalsFor(subjectIds, around, cause);
  const trusted = await trustedAmong(tx, cause, proposals, around);
  const toReview = proposals.filter((proposal) => !trusted.has(proposal));

  const earlier = await findCasesOf(tx, [...subjectIds]);
  const opened = toReview.filter((proposal) => shouldOpenCase(proposal, earlier.get(proposal.record.id)));
  const cases = opened.map(({ record: { id: recordId }, tier, candidates }) => {
    return { id: newUuid(), recordId, kind: 'weak' as const, reason: tier.name, candidates, openedAt: now };
  });
  const settled = new Set([...recordIds, ...subjectIds]);
  for (const { recordId } of cases) settled.delete(recordId);
  await settleCases(tx, [...settled], 'weak', now);
  await forgetLinkedAccounts(tx, recordIds);
  await saveCases(tx, cases);
  return { linked: await link(tx, cause, [...trusted], around), proposed: opened };
}

/** An open case of another kind stays as it is. */
function shouldOpenCase({ candidates }: Proposal, { open, decided }: CasesOfRecord = {}): boolean {
  return (open === undefined || open.kind === 'weak') && hasNewCandidate(candidates, decided);
}

/** Makes the links, except those that would make an identity too large. */
async function link(
  tx: Transaction,
  cause: Cause,
  proposals: readonly Proposal[],
  { records }: Surroundings,
): Promise<Settled[]> {
  const proposed = new Map(proposals.map((proposal) => [proposal.record.id, proposal]));
  const changes = (await lockRecordsById(tx, [...proposed.keys()])).flatMap((before): RecordChange[] => {
    const proposal = proposed.get(before.id);
    // A record that was linked or moved since the comparison is on the queue again.
    if (!proposal || before.identityId !== proposal.record.identityId) return [];
    const record = { ...before, identityId: proposal.candidates[0]?.identity_id, linkedBy: undefined };
    return [{ before, record, evidence: fuzzyEvidence(proposal, records, cause.rules) }];
  });
  const apply = (part: readonly RecordChange[]) => applyChanges(tx, cause, part);
  return applyInHalves(tx, changes, apply, (error) => {
    if (!(error instanceof NotApplicable)) throw error;
  });
}

async function surroundingsOf(tx: Transaction, recordIds: ReadonlySet<string>): Promise<Surroundings> {
  const groups = await findRecordsSharingValues(tx, [...recordIds]);
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
  const people = new Map<string, StoredRecord[]>();
  for (const record of found) {
    const { kind, identityId } = record;
    if (kind === 'user' && identityId && !isDeleted(record)) append(people, identityId, record);
  }
  return { records: byId(found), people, sharers };
}

function proposalsFor(recordIds: Iterable<string>, around: Surroundings, cause: Cause): Proposal[] {
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
async function trustedAmong(
  tx: Transaction,
  cause: Cause,
  proposals: readonly Proposal[],
  around: Surroundings,
): Promise<Set<Proposal>> {
  const asWritten = proposals.filter(({ spelling }) => spelling === 'written');
  const unique = asWritten.filter(({ tier, candidates }) => tier.when_unique === 'link' && candidates.length === 1);
  const rivals = await findRivals(tx, cause, unique, around);
  const counts = new Map<string, number>();
  const similar = new Map([...asWritten, ...rivals].map((each) => [each.record.id, each]));
  for (const { record, candidates } of similar.values()) {
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
  const meant = unique.flatMap((proposal) => usersMeant(proposal, around).map(({ id }) => id));
  const rivalIds = new Set((await findRecordsSharingValues(tx, meant)).flat());
  const found = proposalsFor(rivalIds, await surroundingsOf(tx, rivalIds), cause);
  return found.filter(({ spelling }) => spelling === 'written');
}

function usersMeant({ candidates }: Proposal, { people }: Surroundings): readonly StoredRecord[] {
  return candidates.flatMap(({ identity_id }) => people.get(identity_id) ?? []);
}
