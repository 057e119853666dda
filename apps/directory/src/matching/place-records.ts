import {
  assignKeys,
  type ContestedKey,
  type CorrelationKey,
  type HeldKey,
  releaseKeys,
  type StoredIdentity,
  type StoredRecord,
  saveContests,
  setWaiting,
  type Transaction,
} from '@idsync/database';
import type { Cause } from '../cause.js';
import type { RecordChange } from '../record-change.js';
import { type Assignment, assignIdentities, type KnownIdentity } from './assign-identities.js';
import { type BondOf, bonds } from './bonds.js';
import type { MovedKeys } from './find-machines.js';
import { followPeople, type Holder } from './follow-people.js';
import { keysInRun } from './keys-in-run.js';
import { Neighbourhood } from './neighbourhood.js';
import { mostSharing, type Partition, partitionPeople } from './partition-people.js';
import { placeMachines } from './place-machines.js';
import { isLiving, keyText } from './record-keys.js';

/** A record whose certain keys point at several people. */
interface DisputedRecord {
  record: StoredRecord;
  key: CorrelationKey;
  /** Identity ids. */
  candidates: string[];
}

export interface PlacedRecords {
  /** Every record of the neighbourhood by its id, linked as it is from now on; one that did not change is its own `before`. */
  changes: Map<string, RecordChange>;
  /** The neighbourhood's identities as they were. */
  stored: ReadonlyMap<string, StoredIdentity>;
  /** Records among them whose people nobody compared with anybody. */
  guests: ReadonlySet<string>;
  /** Identities whose records changed, came or went. */
  affected: Set<string>;
  /** Identities that lost all their records, and the one that has most of them now. */
  successors: Map<string, string>;
  /** New identities, and the one their records parted from. */
  origins: Map<string, string>;
  disputes: DisputedRecord[];
}

/** Links changed records to identities, and whoever is touched by that: people join and part, accounts and machines follow. */
export async function placeRecords(
  tx: Transaction,
  cause: Cause,
  changes: readonly RecordChange[],
): Promise<PlacedRecords> {
  const hood = await Neighbourhood.around(tx, cause, changes);
  const woken = changes.some(({ record }) => record.kind === 'user') ? await hood.wake() : [];
  const touched = new Set([...changes.map(({ record }) => record.id), ...woken]);

  const { partition, assignments, bondOf } = await assignPeople(tx, hood, cause);
  const links = new Map<string, string>();
  for (const { cluster, identityId } of assignments) {
    for (const { recordId } of cluster.members) links.set(recordId, identityId);
  }
  const successors = successorsOf(hood, links);
  const moved = await saveKeys(tx, cause.tenantId, hood, assignments);

  const disputes: DisputedRecord[] = disputedPeople(partition, assignments, hood);
  const waiting: { id: string; keys: CorrelationKey[] }[] = [];
  const holders = holdersOf(assignments, hood);
  for (const { record, removed, placed } of hood.changes.values()) {
    if (record.kind !== 'account' || removed) continue;
    const successor = record.identityId && !placed ? successors.get(record.identityId) : undefined;
    const current = successor ?? record.identityId;
    if (current && isSettled(record, bondOf)) {
      links.set(record.id, current);
      continue;
    }
    const following = followPeople({ keys: hood.keysOf(record) }, holders);
    // Also of who stays where they are: it may be another key now that keeps them there.
    waiting.push({ id: record.id, keys: following.waitsFor });
    if (following.identityId) links.set(record.id, following.identityId);
    if (following.dispute && !following.identityId) disputes.push({ record, ...following.dispute });
  }
  waiting.push(...(await placeMachines(tx, cause, hood, { links, successors, holders, touched, moved })));
  await setWaiting(tx, cause.tenantId, waiting);
  const linked = linkRecords(hood, links, successors, cause);
  return { ...linked, stored: hood.identities, guests: hood.guests, successors, disputes };
}

/** Partitions again whenever locking the keys of those who may move, people or followers, has brought in somebody new. */
async function assignPeople(
  tx: Transaction,
  hood: Neighbourhood,
  cause: Cause,
): Promise<{ partition: Partition; assignments: Assignment[]; bondOf: BondOf }> {
  const { rules, revived = new Map() } = cause;
  for (;;) {
    const bondOf = await bonds(tx, cause, hood.changes.values());
    const keysOf = keysInRun(hood, cause.jobId);
    const people = [...hood.changes.values()]
      .filter(({ record, removed }) => record.kind === 'user' && !removed)
      .map((change) => ({ ...change, keys: keysOf(change) }))
      .map(({ record, keys }) => ({
        recordId: record.id,
        connectorId: record.connectorId,
        identityId: record.identityId,
        keys: keys.filter((key) => hood.keys.get(keyText(key))?.shared !== 'common'),
        living: isLiving(record),
        bond: bondOf(record),
      }));
    const partition = partitionPeople(people, rules.certain);
    const known = new Map([...revivedIdentities(revived), ...hood.identities]);
    const bornAt = (id: string) => hood.changes.get(id)?.record.createdAt.getTime() ?? 0;
    const assignments = assignIdentities(partition.clusters, known, bornAt, (ids) => hood.newIdentityId(ids));
    const movers = assignments.flatMap(({ cluster, identityId }) =>
      cluster.members.filter((member) => member.identityId !== undefined && member.identityId !== identityId),
    );
    // An account that leaves one person may fit another, by a key that nobody here has.
    const followers = [...hood.changes.values()].flatMap(({ record, removed }) =>
      record.kind === 'user' || removed || isSettled(record, bondOf) ? [] : record,
    );
    const size = hood.changes.size;
    await hood.extend(
      [...movers.flatMap(({ keys }) => keys), ...followers.flatMap((record) => hood.keysOf(record))],
      [],
    );
    if (hood.changes.size === size) return { partition, assignments, bondOf };
  }
}

/** An account or machine that stays with whom it belongs to, whatever its keys say. */
function isSettled(record: StoredRecord, bondOf: BondOf): boolean {
  if (record.identityId === undefined) return false;
  return record.kind === 'account' ? bondOf(record) !== 'loose' || !isLiving(record) : record.decided;
}

function revivedIdentities(revived: ReadonlyMap<string, Date>): [string, KnownIdentity][] {
  return [...revived].map(([id, createdAt]) => [id, { id, createdAt }]);
}

/** Where an identity's people went, if none of them kept it: to whoever has most of them. */
function successorsOf(hood: Neighbourhood, links: ReadonlyMap<string, string>): Map<string, string> {
  const kept = new Set(links.values());
  const votes = new Map<string, Map<string, number>>();
  for (const { before } of hood.changes.values()) {
    const to = before && links.get(before.id);
    if (!before?.identityId || to === undefined || kept.has(before.identityId)) continue;
    const counts = votes.get(before.identityId) ?? new Map<string, number>();
    votes.set(before.identityId, counts.set(to, (counts.get(to) ?? 0) + 1));
  }
  return new Map(
    [...votes].map(([id, counts]) => [
      id,
      [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))[0]?.[0] ?? id,
    ]),
  );
}

/** Writes whose the locked keys are now, and tells which of them that is news for. */
async function saveKeys(
  tx: Transaction,
  tenantId: string,
  hood: Neighbourhood,
  assignments: readonly Assignment[],
): Promise<MovedKeys> {
  const claims = new Map<string, { identityId: string; recordId: string }[]>();
  for (const { cluster, identityId } of assignments) {
    for (const { recordId } of cluster.members) {
      const record = hood.changes.get(recordId)?.record;
      for (const key of record ? hood.keysOf(record) : []) {
        const text = keyText(key);
        claims.set(text, [...(claims.get(text) ?? []), { identityId, recordId }]);
      }
    }
  }
  const assigned: HeldKey[] = [];
  const released: CorrelationKey[] = [];
  const contests: ContestedKey[] = [];
  const contested: CorrelationKey[] = [];
  const moved: MovedKeys = { values: new Set(), identityIds: new Set() };
  for (const [text, was] of hood.keys) {
    if (was.shared === 'common') continue;
    const claimants = claims.get(text) ?? [];
    const ids = new Set(claimants.map(({ identityId }) => identityId));
    const { kind, value } = was;
    const now: HeldKey = { kind, value };
    if (ids.size === 1) now.identityId = claimants[0]?.identityId;
    else if (ids.size > 1) now.shared = ids.size > mostSharing ? 'common' : 'contested';
    if (now.shared === 'contested') contests.push(...claimants.map(({ recordId }) => ({ kind, value, recordId })));
    if (now.shared === 'contested' || was.shared === 'contested') contested.push(was);
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

function holdersOf(assignments: readonly Assignment[], hood: Neighbourhood): Map<string, Holder[]> {
  const holders = new Map<string, Holder[]>();
  for (const { cluster, identityId } of assignments) {
    const holder = { identityId, numbers: cluster.numbers };
    for (const { keys } of cluster.members) {
      for (const key of keys) {
        if (hood.keys.get(keyText(key))?.shared === 'common') continue;
        holders.set(keyText(key), [...(holders.get(keyText(key)) ?? []), holder]);
      }
    }
  }
  return holders;
}

function disputedPeople(
  { disputes }: Partition,
  assignments: readonly Assignment[],
  hood: Neighbourhood,
): DisputedRecord[] {
  const idOf = new Map(assignments.map(({ cluster, identityId }) => [cluster, identityId]));
  return disputes.flatMap(({ cluster, key, candidates }) => {
    const record = cluster.members.map(({ recordId }) => hood.changes.get(recordId)?.record).find((each) => each);
    const ids = candidates.map((candidate) => idOf.get(candidate)).filter((id) => id !== undefined);
    return record ? [{ record, key, candidates: ids }] : [];
  });
}

function linkRecords(
  hood: Neighbourhood,
  links: ReadonlyMap<string, string>,
  successors: Map<string, string>,
  { jobId, operationId, now, rerender, erase }: Cause,
): Pick<PlacedRecords, 'changes' | 'affected' | 'origins'> {
  const affected = new Set<string>();
  const origins = new Map<string, string>();
  const remaining = new Set<string>();
  for (const [id, change] of hood.changes) {
    const { record, before, placed } = change;
    const identityId = links.get(id);
    if (identityId !== before?.identityId) {
      const linkedBy = placed && identityId === record.identityId ? record.linkedBy : (jobId ?? operationId);
      hood.changes.set(id, { ...change, record: { ...record, identityId, linkedBy, updatedAt: now } });
    }
    if (identityId !== before?.identityId || record !== before || rerender) {
      for (const each of [identityId, before?.identityId]) if (each !== undefined) affected.add(each);
    }
    if (identityId !== undefined) remaining.add(identityId);
  }
  for (const { record, before } of hood.changes.values()) {
    const from = before?.identityId;
    const to = record.identityId;
    if (from === undefined || to === undefined || from === to) continue;
    // Who is erased has no successor, whatever is left of what they had.
    if (!remaining.has(from) && !erase) successors.set(from, successors.get(from) ?? to);
    else if (remaining.has(from) && record.kind === 'user' && !hood.identities.has(to)) origins.set(to, from);
  }
  return { changes: hood.changes, affected, origins };
}
