import { type MachineReference, newUuid, type PersonStatus } from '@idsync/contracts';
import type { Transaction } from '@idsync/database';
import {
  type CorrelationKey,
  type FormerReference,
  findReferences,
  findReferrers,
  type StoredRecord,
  type StoredReference,
  saveFormerReferences,
  saveReferences,
} from '@idsync/database/directory';
import type { Cause } from '../changes/cause.js';
import type { RecordChange } from '../changes/record-change.js';
import { deriveIdentityStatus } from '../lifecycle/derive-status.js';
import type { Precedence } from '../lifecycle/rank-sources.js';
import { endedReference } from '../managers/references.js';
import { followPeople, type Holder } from '../matching/follow-people.js';
import type { Neighbourhood } from '../matching/neighbourhood.js';
import { isDeleted, keyText, normaliseText, numbersOf, type RecordKey } from '../matching/record-keys.js';
import type { MovedKeys } from '../matching/save-keys.js';
import { append, idsOf } from '../shared/collections.js';
import { type Directory, lookUp, type NamedPerson, namedBy } from './resolve-references.js';
import { effectiveOwner, type Found, ownerOf, type PersonState, settleMachine } from './settle-machine.js';

/**
 * Links machines to their effective owners and updates their status and risk. Processes only machines that changed,
 * whose references resolve differently, or whose people changed status. Returns the keys that each machine waits for.
 */
export async function placeMachines(
  tx: Transaction,
  cause: Cause,
  neighbourhood: Neighbourhood,
  people: Followed,
): Promise<{ id: string; keys: CorrelationKey[] }[]> {
  const { links, successors } = people;
  const currentIdentityOf = ({ record: { identityId }, placed }: RecordChange) =>
    placed ? identityId : (identityId && successors.get(identityId)) || identityId;
  const machines = await findSubjects(tx, cause, neighbourhood, people);
  const records = machines.map(({ record }) => record);
  const stored = await findReferences(tx, idsOf(records));
  const references = new Map(stored.map((each) => [`${each.recordId} ${each.role}`, each]));
  const matchedIds = new Set(neighbourhood.identities.keys());
  const outsideKeys = machines.flatMap(({ record }) =>
    neighbourhood.loadedForMachines.has(record.id) ? neighbourhood.keysOf(record) : [],
  );
  const directory = await lookUp(tx, cause, records, outsideKeys, neighbourhood.changes.values(), links);
  const known = (id: string | undefined) => id && (successors.get(id) ?? id);
  await neighbourhood.addForMachines(
    [],
    [
      ...machines.flatMap(({ record, before }) => [record.identityId, before?.identityId]),
      ...records.flatMap(namedBy).map((named) => directory.identityNamed(named)),
      ...outsideKeys.map((key) => directory.holderOf(key)),
      ...[...references.values()].map(({ identityId }) => known(identityId)),
    ],
  );
  for (const change of neighbourhood.changes.values()) {
    const { record, removed } = change;
    const currentId = currentIdentityOf(change);
    if (removed || currentId === undefined) continue;
    if (record.kind === 'machine_identity' || neighbourhood.loadedForMachines.has(record.id))
      links.set(record.id, currentId);
  }

  if (machines.length === 0) return [];
  const statuses = statusesOf(neighbourhood, links, cause);
  const holders = new Map([...holdersAmong(outsideKeys, directory, neighbourhood, links), ...people.holders()]);
  const stateOf = (id: string | undefined): PersonState | undefined =>
    id === undefined ? undefined : { id, status: statuses.get(id) };
  const waiting: { id: string; keys: CorrelationKey[] }[] = [];
  const changed: StoredReference[] = [];
  const ended: FormerReference[] = [];
  for (const change of machines) {
    const { record } = change;
    const following = followPeople(neighbourhood.keysOf(record), holders);
    waiting.push({ id: record.id, keys: following.waitsFor });
    /** Whether a reference that nothing resolves now still means the person it meant before. */
    const stays = (id: string) =>
      neighbourhood.strengths.strengthOf(record) !== 'loose' ||
      !statuses.has(id) ||
      // During a change of rules, keys of records that are not processed yet are missing.
      (cause.reconsider && !people.touched.has(record.id) && !matchedIds.has(id));
    const find = ({ role, value, ...text }: NamedPerson): Found => {
      const stored = references.get(`${record.id} ${role}`);
      const earlier = known(stored?.identityId);
      const kept = earlier !== undefined && stored?.value === value && stays(earlier) ? earlier : undefined;
      const named = directory.identityNamed({ role, value, ...text });
      if (role !== 'owned_by') return { identityId: named ?? kept, shown: true };
      return ownerOf(change, value, { named, keyed: following.identityId, earlier, kept }, statuses);
    };
    const found = new Map<MachineReference, Found>();
    for (const named of namedBy(record)) {
      const one = find(named);
      found.set(named.role, one);
      const stored = references.get(`${record.id} ${named.role}`);
      if (stored?.value !== named.value || stored?.identityId !== one.identityId) {
        changed.push({ recordId: record.id, role: named.role, value: named.value, identityId: one.identityId });
      }
      const former = endedReference(change, named.role, { was: stored?.identityId, is: one.identityId });
      if (former) ended.push(former);
    }
    const inheritor = isDeleted(record) ? undefined : stateOf(found.get('technical_inheritor')?.identityId);
    const owner = effectiveOwner(stateOf(found.get('owned_by')?.identityId), inheritor);
    const currentId = currentIdentityOf(change);
    const ownId = currentId !== undefined && !statuses.has(currentId) ? currentId : newUuid();
    links.set(record.id, !isDeleted(record) || currentId === undefined ? (owner.ownerId ?? ownId) : currentId);
    settleMachine(change, owner, found, statuses, cause.now);
  }
  await saveReferences(tx, changed);
  await saveFormerReferences(tx, ended);
  return waiting;
}

/** Returns the status of every loaded identity with people, by the new links. */
function statusesOf(
  neighbourhood: Neighbourhood,
  links: ReadonlyMap<string, string>,
  cause: Cause,
): Map<string, PersonStatus> {
  const members = new Map<string, StoredRecord[]>();
  for (const { record, removed } of neighbourhood.changes.values()) {
    const id = links.get(record.id);
    if (record.kind !== 'machine_identity' && !removed && id !== undefined) append(members, id, record);
  }
  const before = (id: string) => neighbourhood.identities.get(id) ?? cause.revived?.get(id);
  return new Map([...members].map(([id, records]) => [id, deriveIdentityStatus(records, cause, before(id))]));
}

/** Returns the holders of these keys with their employee numbers and other permanent keys, which must not conflict. */
function holdersAmong(
  keys: readonly CorrelationKey[],
  directory: Directory,
  neighbourhood: Neighbourhood,
  links: ReadonlyMap<string, string>,
): [string, Holder[]][] {
  if (keys.length === 0) return [];
  const keysOf = new Map<string, RecordKey[]>();
  for (const { record } of neighbourhood.changes.values()) {
    const id = record.kind === 'user' ? links.get(record.id) : undefined;
    if (id !== undefined) for (const key of neighbourhood.keysOf(record)) append(keysOf, id, key);
  }
  return keys.flatMap((key): [string, Holder[]][] => {
    const identityId = directory.holderOf(key);
    if (identityId === undefined) return [];
    return [[keyText(key), [{ identityId, numbers: numbersOf(keysOf.get(identityId) ?? []) }]]];
  });
}

/** Result of placing people and accounts, on which the placement of machines depends. */
export interface Followed {
  /** Identity ids by record id; `placeMachines` adds those of machines. */
  links: Map<string, string>;
  successors: ReadonlyMap<string, string>;
  /** Computed for machines and accounts only. */
  holders: () => ReadonlyMap<string, readonly Holder[]>;
  /** Records that changed or waited for a key that moved. */
  touched: ReadonlySet<string>;
  moved: MovedKeys;
}

/** Returns machines that changed or whose people changed, with one lookup per batch. */
async function findSubjects(
  tx: Transaction,
  cause: Cause,
  neighbourhood: Neighbourhood,
  { links, successors, touched, moved }: Followed,
): Promise<RecordChange[]> {
  const { connectors, rules } = cause;
  // Saves the lookup for tenants without machines.
  if ([...connectors.values()].every(({ records }) => records !== 'machine_identity')) return [];
  const shifted = shiftedIdentities(neighbourhood, links, cause);
  for (const id of moved.identityIds) shifted.add(id);
  for (const [from, to] of successors) shifted.add(from).add(to);
  const values = new Set(moved.values);
  for (const { record, before, removed } of neighbourhood.changes.values()) {
    if (record.kind !== 'user') continue;
    const isRenamed = before !== undefined && before.externalId !== record.externalId;
    const hasMoved = !before || removed || isRenamed || links.get(record.id) !== before.identityId;
    const ids = isRenamed ? [before.externalId, record.externalId] : [record.externalId];
    // A machine names a person by a value as the source has it, which a normaliser has changed in the key.
    const named =
      record === before && !hasMoved ? [] : [record, before].flatMap((each) => normalisedFields(each, rules));
    for (const value of hasMoved ? [...named, ...ids] : named) {
      const text = normaliseText(value);
      if (text !== undefined) values.add(text);
    }
  }
  const present = [...shifted].filter((id) => neighbourhood.identities.has(id));
  const referrers = new Set(await findReferrers(tx, [...values], present));
  await neighbourhood.addForMachines([...referrers], []);
  return [...neighbourhood.changes.values()].filter(
    ({ record, removed }) =>
      record.kind === 'machine_identity' &&
      !removed &&
      (touched.has(record.id) || referrers.has(record.id) || (record.identityId && shifted.has(record.identityId))),
  );
}

/** Returns the values of the keys that the tenant's rules normalise in another way than references. */
function normalisedFields(record: StoredRecord | undefined, { keys }: Cause['rules']): string[] {
  const fields = keys.filter(({ normaliser }) => normaliser !== 'case').map(({ field }) => field);
  return fields.flatMap((field) => record?.fields[field] ?? []);
}

/** Returns identities of people that were added or removed or whose status changed. */
function shiftedIdentities(
  neighbourhood: Neighbourhood,
  links: ReadonlyMap<string, string>,
  precedence: Precedence,
): Set<string> {
  const was = new Map<string, StoredRecord[]>();
  const is = new Map<string, StoredRecord[]>();
  for (const { record, before, removed } of neighbourhood.changes.values()) {
    if (record.kind === 'machine_identity') continue;
    const linkedTo = removed ? undefined : links.get(record.id);
    if (before?.identityId !== undefined) append(was, before.identityId, before);
    if (linkedTo !== undefined) append(is, linkedTo, record);
  }
  const statusIn = (map: Map<string, StoredRecord[]>, id: string) => {
    const records = map.get(id);
    return records && deriveIdentityStatus(records, precedence, neighbourhood.identities.get(id));
  };
  return new Set([...was.keys(), ...is.keys()].filter((id) => statusIn(was, id) !== statusIn(is, id)));
}
