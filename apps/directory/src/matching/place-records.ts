import type { Transaction } from '@idsync/database';
import {
  assignKeys,
  type ContestedKey,
  type CorrelationKey,
  type EarlierIdentity,
  findRedirects,
  type HeldKey,
  releaseKeys,
  type StoredIdentity,
  type StoredRecord,
  saveContests,
  setWaiting,
} from '@idsync/database/directory';
import type { Cause } from '../cause.js';
import { rankedUser } from '../derive-status.js';
import type { RecordChange } from '../record-change.js';
import { type Assignment, assignIdentities, type KnownIdentity } from './assign-identities.js';
import type { Cluster } from './cluster.js';
import type { MovedKeys } from './find-machines.js';
import { followPeople, foreignKeys, type Holder, linkedAccount, type Names, otherPerson } from './follow-people.js';
import { formerHolders } from './former-holders.js';
import { standingFuzzyLink } from './fuzzy-evidence.js';
import { isSettled } from './link-strength.js';
import { nameWords } from './names.js';
import { Neighbourhood } from './neighbourhood.js';
import { maxSharing, type Partition, partitionPeople } from './partition-people.js';
import { placeMachines } from './place-machines.js';
import { recordEvidence } from './record-evidence.js';
import { isGone, isPermanent, keyText, type RecordKey } from './record-keys.js';
import type { Doubt } from './relate-clusters.js';

/** A record whose match keys fit several people, or one person in doubt. */
export interface DisputedRecord {
  record: StoredRecord;
  key: CorrelationKey;
  /** Identity ids. */
  candidates: string[];
  /** Undefined if the key fits several people. `linked_elsewhere`: the record is linked to another person. */
  doubt?: Doubt | 'linked_elsewhere';
  /** Other people in doubt, by weaker keys. */
  further?: Omit<DisputedRecord, 'record' | 'further'>[];
}

export interface PlacedRecords {
  /**
   * All records of the neighbourhood by id, with their new links. In an unchanged entry, `record` and `before` are the
   * same object.
   */
  changes: Map<string, RecordChange>;
  /** The neighbourhood's identities before the change. */
  stored: ReadonlyMap<string, StoredIdentity>;
  /** Records that were loaded only for machines; their people were not matched. */
  loadedForMachines: ReadonlySet<string>;
  /** Identities whose records were changed, added or removed. */
  affected: Set<string>;
  /** Identities that lost all their records, with the identity that now has most of them. */
  successors: Map<string, string>;
  /** New identities, with the identity that they were split from. */
  origins: Map<string, string>;
  /** Merged identities that may have records again, as they were. */
  revived: ReadonlyMap<string, EarlierIdentity>;
  disputes: DisputedRecord[];
}

/** Links changed records and all records affected by them to identities: first people, then accounts and machines. */
export async function placeRecords(
  tx: Transaction,
  cause: Cause,
  changes: readonly RecordChange[],
): Promise<PlacedRecords> {
  const neighbourhood = await Neighbourhood.around(tx, cause, changes);
  const waitingIds = changes.some(({ record }) => record.kind === 'user') ? await neighbourhood.addWaiting() : [];
  const touched = new Set([...changes.map(({ record }) => record.id), ...waitingIds]);

  const { partition, assignments, revived } = await assignPeople(tx, neighbourhood, cause);
  const links = new Map<string, string>();
  for (const { cluster, identityId } of assignments) {
    for (const { recordId } of cluster.members) links.set(recordId, identityId);
  }
  const people = new Set(links.values());
  const successors = successorsOf(neighbourhood, links);
  const moved = await saveKeys(tx, cause, neighbourhood, assignments);

  const disputes: DisputedRecord[] = disputedPeople(partition, assignments, neighbourhood);
  const waiting: { id: string; keys: CorrelationKey[] }[] = [];
  let known: ReadonlyMap<string, readonly Holder[]> | undefined;
  const holders = () => {
    known ??= holdersOf(assignments, neighbourhood);
    return known;
  };
  let named: ReadonlyMap<string, Names> | undefined;
  const names = () => {
    named ??= namesOf(assignments);
    return named;
  };
  const hadUsers = (id: string) =>
    [...neighbourhood.changes.values()].some(({ before }) => before?.kind === 'user' && before.identityId === id);
  const followedKeys = new Map<string, CorrelationKey>();
  // The identity may have ended when the job moved its people.
  const earlierPerson = (record: StoredRecord) => {
    const kept = neighbourhood.links.keptIdentityOf(record);
    return kept !== undefined && people.has(kept) ? kept : kept && successors.get(kept);
  };
  for (const { record, removed, placed } of neighbourhood.changes.values()) {
    if (record.kind !== 'account' || removed) continue;
    const successor = record.identityId && !placed ? successors.get(record.identityId) : undefined;
    const current = earlierPerson(record) ?? successor ?? record.identityId;
    const keys = neighbourhood.keysOf(record);
    let waitsFor: CorrelationKey[] = [];
    if (current && isSettled(record, neighbourhood.links.strengthOf)) {
      links.set(record.id, current);
      if (record.decided) continue;
    } else {
      const following = followPeople({ keys }, holders());
      // Saved for unmoved records too, because another key may now be the deciding one.
      waitsFor = following.waitsFor;
      const followed = keys[waitsFor.length];
      if (following.identityId) links.set(record.id, following.identityId);
      if (following.identityId && followed) followedKeys.set(record.id, followed);
      const standing = cause.reconsider && !following.identityId && neighbourhood.changes.get(record.id);
      const user = standing && standingFuzzyLink(standing, neighbourhood.changes, cause.rules);
      // Nothing is left to compare with the account of a leaver whose users are purged.
      const leaver = standing && record.identityId && !hadUsers(record.identityId) && record.identityId;
      const stays = user ? links.get(user) : leaver;
      if (stays) links.set(record.id, stays);
      if (following.dispute && !links.has(record.id)) disputes.push({ record, ...following.dispute });
    }
    const person = links.get(record.id);
    if (person !== undefined) {
      const account = linkedAccount(person, keys, nameWords(record.fields), names().get(person) ?? []);
      const other = otherPerson(account, holders());
      if (other) disputes.push({ record, ...other, doubt: 'linked_elsewhere' });
      waitsFor = [...waitsFor, ...foreignKeys(account, holders())];
    }
    waiting.push({ id: record.id, keys: waitsFor });
  }
  waiting.push(...(await placeMachines(tx, cause, neighbourhood, { links, successors, holders, touched, moved })));
  await setWaiting(tx, cause.tenantId, waiting);
  const linked = linkRecords(neighbourhood, links, successors, cause);
  recordEvidence(neighbourhood, assignments, followedKeys, cause);
  return {
    ...linked,
    stored: neighbourhood.identities,
    loadedForMachines: neighbourhood.loadedForMachines,
    successors,
    revived,
    disputes,
  };
}

/** Partitions the people, and repeats it while locking the keys of moving records adds records to the neighbourhood. */
async function assignPeople(
  tx: Transaction,
  neighbourhood: Neighbourhood,
  cause: Cause,
): Promise<{
  partition: Partition;
  assignments: Assignment[];
  revived: PlacedRecords['revived'];
}> {
  const { rules } = cause;
  for (;;) {
    const revived = new Map([...(await mergedByUnfinishedJobs(tx, neighbourhood)), ...(cause.revived ?? [])]);
    const fuzzyTo = (id: string) => {
      const change = neighbourhood.changes.get(id);
      return change && standingFuzzyLink(change, neighbourhood.changes, rules);
    };
    const joining = (keys: readonly RecordKey[]) =>
      keys.filter((key) => neighbourhood.keys.get(keyText(key))?.shared !== 'common');
    const people = [...neighbourhood.changes.values()]
      .filter(({ record, removed }) => record.kind === 'user' && !removed)
      .map(({ record }) => ({
        recordId: record.id,
        connectorId: record.connectorId,
        identityId: record.identityId,
        keptIdentityId: neighbourhood.links.keptIdentityOf(record),
        keys: joining(neighbourhood.keysOf(record)),
        formerKeys: joining(neighbourhood.formerKeysOf(record)),
        name: nameWords(record.fields),
        gone: isGone(record),
        ...rankedUser(record, cause),
        linkStrength: neighbourhood.links.strengthOf(record),
        ...(cause.reconsider && { earlierIdentityId: record.identityId, fuzzyTo: fuzzyTo(record.id) }),
      }));
    const partition = partitionPeople(people, rules);
    const known = new Map([...revivedIdentities(revived), ...neighbourhood.identities]);
    const createdAtOf = (id: string) => neighbourhood.changes.get(id)?.record.createdAt.getTime() ?? 0;
    const assignments = assignIdentities(partition.clusters, known, createdAtOf, (ids) =>
      neighbourhood.newIdentityId(ids),
    );
    const movers = assignments.flatMap(({ cluster, identityId }) =>
      cluster.members.filter((member) => member.identityId !== undefined && member.identityId !== identityId),
    );
    // An account that leaves one person may fit another by a key that is not locked yet.
    // One that stays with its person is compared with the holder of its number, or of its address and name.
    let named: ReadonlyMap<string, Names> | undefined;
    const followed = [...neighbourhood.changes.values()].flatMap(({ record, removed }) => {
      if (record.kind === 'user' || removed) return [];
      const keys = neighbourhood.keysOf(record);
      const { identityId, kind } = record;
      if (identityId === undefined || !isSettled(record, neighbourhood.links.strengthOf)) return keys;
      if (kind !== 'account') return keys.filter(isPermanent);
      named ??= namesOf(assignments);
      return linkedAccount(identityId, keys, nameWords(record.fields), named.get(identityId) ?? []).keys;
    });
    const size = neighbourhood.changes.size;
    await neighbourhood.extend([...movers.flatMap(({ keys }) => keys), ...followed], []);
    if (neighbourhood.changes.size === size) return { partition, assignments, revived };
  }
}

/** Finds the identities that unfinished jobs have merged, which return if their records are separated again. */
async function mergedByUnfinishedJobs(
  tx: Transaction,
  { changes, identities, links }: Neighbourhood,
): Promise<Map<string, EarlierIdentity>> {
  const kept = new Set([...changes.values()].map(({ record }) => links.keptIdentityOf(record)));
  const ended = [...kept].filter((id) => id !== undefined && !identities.has(id)) as string[];
  const redirects = ended.length > 0 ? await findRedirects(tx, ended) : [];
  return new Map(redirects.map((each) => [each.id, each]));
}

function revivedIdentities(revived: PlacedRecords['revived']): [string, KnownIdentity][] {
  return [...revived].map(([id, { createdAt }]) => [id, { id, createdAt }]);
}

/**
 * Maps each identity that lost all its people to the identity that has most of them now. People who had it before an
 * unfinished job decide; those that the job has linked to it decide only for an identity that is new in the job.
 */
function successorsOf(
  { changes, links: strengths }: Neighbourhood,
  links: ReadonlyMap<string, string>,
): Map<string, string> {
  const present = new Set(links.values());
  const votes = new Map<string, Map<string, { kept: number; loose: number }>>();
  const vote = (from: string | undefined, to: string, by: 'kept' | 'loose') => {
    if (from === undefined || present.has(from)) return;
    const counts = votes.get(from) ?? new Map<string, { kept: number; loose: number }>();
    const count = counts.get(to) ?? { kept: 0, loose: 0 };
    count[by] += 1;
    votes.set(from, counts.set(to, count));
  };
  for (const { before } of changes.values()) {
    if (!before) continue;
    const to = links.get(before.id);
    if (to === undefined) continue;
    const kept = strengths.keptIdentityOf(before);
    vote(kept, to, 'kept');
    vote(before.identityId, to, kept !== undefined || strengths.strengthOf(before) === 'loose' ? 'loose' : 'kept');
  }
  return new Map(
    [...votes].map(([id, counts]) => [
      id,
      [...counts].sort(([a, m], [b, n]) => n.kept - m.kept || n.loose - m.loose || (a < b ? -1 : 1))[0]?.[0] ?? id,
    ]),
  );
}

/** Saves the new holders of the locked keys and returns the keys that moved. */
async function saveKeys(
  tx: Transaction,
  { tenantId }: Cause,
  neighbourhood: Neighbourhood,
  assignments: readonly Assignment[],
): Promise<MovedKeys> {
  const claims = new Map<string, { identityId: string; recordId: string }[]>();
  for (const { cluster, identityId } of assignments) {
    for (const { recordId } of cluster.members) {
      const record = neighbourhood.changes.get(recordId)?.record;
      for (const key of record ? neighbourhood.keysOf(record) : []) {
        const text = keyText(key);
        const claimants = claims.get(text);
        if (claimants) claimants.push({ identityId, recordId });
        else claims.set(text, [{ identityId, recordId }]);
      }
    }
  }
  const formerly = formerHolders(neighbourhood);
  const assigned: HeldKey[] = [];
  const released: CorrelationKey[] = [];
  const contests: ContestedKey[] = [];
  const contested: CorrelationKey[] = [];
  const moved: MovedKeys = { values: new Set(), identityIds: new Set() };
  for (const [text, was] of neighbourhood.keys) {
    if (was.shared === 'common') continue;
    const claimants = claims.get(text) ?? [];
    const ids = new Set(claimants.map(({ identityId }) => identityId));
    const { kind, value } = was;
    const now: HeldKey = { kind, value };
    if (ids.size === 1) now.identityId = claimants[0]?.identityId;
    else if (ids.size > 1) now.shared = ids.size > maxSharing ? 'common' : 'contested';
    const former = formerly.get(text);
    if (now.shared === 'contested' || (former && former.length > 0)) {
      const recordIds = [...claimants.map(({ recordId }) => recordId), ...(former ?? [])];
      contests.push(...recordIds.map((recordId) => ({ kind, value, recordId })));
    }
    if (now.shared === 'contested' || was.shared === 'contested' || former) contested.push(was);
    if (now.identityId !== was.identityId || now.shared !== was.shared || now.shared === 'contested') {
      moved.values.add(value);
      for (const id of [...ids, was.identityId]) if (id !== undefined) moved.identityIds.add(id);
    }
    if (ids.size === 0) released.push(was);
    else if (now.identityId !== (was.expectedId ?? was.identityId) || now.shared !== was.shared) assigned.push(now);
  }
  await assignKeys(tx, tenantId, assigned);
  await releaseKeys(tx, tenantId, released);
  await saveContests(tx, tenantId, contested, contests);
  return moved;
}

function namesOf(assignments: readonly Assignment[]): Map<string, Names> {
  return new Map(assignments.map(({ cluster, identityId }) => [identityId, cluster.members.map(({ name }) => name)]));
}

function holdersOf(assignments: readonly Assignment[], neighbourhood: Neighbourhood): Map<string, Holder[]> {
  const holders = new Map<string, Holder[]>();
  for (const { cluster, identityId } of assignments) {
    const holder = { identityId, numbers: cluster.numbers, names: cluster.members.map(({ name }) => name) };
    for (const { keys } of cluster.members) {
      for (const key of keys) {
        const text = keyText(key);
        if (neighbourhood.keys.get(text)?.shared === 'common') continue;
        const others = holders.get(text);
        if (others) others.push(holder);
        else holders.set(text, [holder]);
      }
    }
  }
  return holders;
}

function disputedPeople(
  { disputes }: Partition,
  assignments: readonly Assignment[],
  neighbourhood: Neighbourhood,
): DisputedRecord[] {
  const idOf = new Map(assignments.map(({ cluster, identityId }) => [cluster, identityId]));
  const idsOf = (clusters: readonly Cluster[]) => clusters.flatMap((each) => idOf.get(each) ?? []);
  return disputes.flatMap(({ cluster, key, candidates, doubt, recordId: own, further = [] }) => {
    const [oldest = ''] = cluster.members
      .filter(({ gone, keys }) => !gone && keys.some((each) => keyText(each) === keyText(key)))
      .map((member) => member.recordId)
      .sort();
    const record = neighbourhood.changes.get(own ?? oldest)?.record;
    if (!record) return [];
    const others = further.map((each) => ({ key: each.key, candidates: idsOf(each.candidates), doubt: each.doubt }));
    return [{ record, key, candidates: idsOf(candidates), doubt, further: others }];
  });
}

function linkRecords(
  neighbourhood: Neighbourhood,
  links: ReadonlyMap<string, string>,
  successors: Map<string, string>,
  cause: Cause,
): Pick<PlacedRecords, 'changes' | 'affected' | 'origins'> {
  const { jobId, operationId, now, rerender, erase } = cause;
  const affected = new Set<string>();
  const origins = new Map<string, string>();
  const remaining = new Set<string>();
  const isKept = (record: StoredRecord) => jobId !== undefined && neighbourhood.links.strengthOf(record) !== 'loose';
  for (const [id, change] of neighbourhood.changes) {
    const { record, before, placed } = change;
    const identityId = links.get(id);
    // A revert places a record in its former identity; a match key may keep it in the present one.
    if (identityId !== before?.identityId || identityId !== record.identityId) {
      const isAsPlaced = placed && identityId === record.identityId;
      const linkedBy = isAsPlaced ? record.linkedBy : (jobId ?? operationId);
      const keptIdentityId =
        neighbourhood.links.keptIdentityOf(record) ?? (before && isKept(before) ? before.identityId : undefined);
      const linked = { ...record, identityId, linkedBy, keptIdentityId, updatedAt: now };
      // The evidence of the placement is not the reason of another link.
      const { placed: _, evidence: __, ...byKey } = change;
      neighbourhood.changes.set(id, { ...(placed && !isAsPlaced ? byKey : change), record: linked });
    }
    if (identityId !== before?.identityId || record !== before || rerender) {
      for (const each of [identityId, before?.identityId]) if (each !== undefined) affected.add(each);
    }
    if (identityId !== undefined) remaining.add(identityId);
  }
  for (const { record, before } of neighbourhood.changes.values()) {
    const from = before?.identityId;
    const to = record.identityId;
    if (from === undefined || to === undefined || from === to) continue;
    // An erased identity must not redirect to an identity that has some of its records.
    if (!remaining.has(from) && !erase) successors.set(from, successors.get(from) ?? to);
    else if (remaining.has(from) && record.kind === 'user' && !neighbourhood.identities.has(to)) origins.set(to, from);
  }
  return { changes: neighbourhood.changes, affected, origins };
}
