import { type MachineReference, newUuid, type PersonStatus } from '@idsync/contracts';
import type { Transaction } from '@idsync/database';
import {
  type CorrelationKey,
  type FormerReference,
  findReferences,
  type StoredRecord,
  type StoredReference,
  saveFormerReferences,
  saveReferences,
} from '@idsync/database/directory';
import type { Cause } from '../cause.js';
import { deriveIdentityStatus } from '../derive-status.js';
import { endedReference } from '../managers/manager-reference.js';
import type { RecordChange } from '../record-change.js';
import { append } from '../value-sets.js';
import { findSubjects, type PlacedPeople } from './find-machines.js';
import { followPeople, type Holder } from './follow-people.js';
import type { Neighbourhood } from './neighbourhood.js';
import { isDeleted, keyText, numbersOf, type RecordKey } from './record-keys.js';
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
  people: PlacedPeople,
): Promise<{ id: string; keys: CorrelationKey[] }[]> {
  const { links, successors } = people;
  const currentIdentityOf = ({ record: { identityId }, placed }: RecordChange) =>
    placed ? identityId : (identityId && successors.get(identityId)) || identityId;
  const machines = await findSubjects(tx, cause, neighbourhood, people);
  const references = new Map(
    (
      await findReferences(
        tx,
        machines.map(({ record }) => record.id),
      )
    ).map((each) => [`${each.recordId} ${each.role}`, each]),
  );
  const matchedIds = new Set(neighbourhood.identities.keys());
  const outsideKeys = machines.flatMap(({ record }) =>
    neighbourhood.loadedForMachines.has(record.id) ? neighbourhood.keysOf(record) : [],
  );
  const records = machines.map(({ record }) => record);
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
    id === undefined ? undefined : { id, ...(statuses.has(id) && { status: statuses.get(id) }) };
  const waiting: { id: string; keys: CorrelationKey[] }[] = [];
  const changed: StoredReference[] = [];
  const ended: FormerReference[] = [];
  for (const change of machines) {
    const { record } = change;
    const following = followPeople({ keys: neighbourhood.keysOf(record) }, holders);
    waiting.push({ id: record.id, keys: following.waitsFor });
    const keptIdentity = (stored: StoredReference | undefined, value: string | undefined) => {
      const id = known(stored?.identityId);
      if (id === undefined || stored?.value !== value) return undefined;
      // During a change of rules, keys of records that are not processed yet are missing.
      const later = cause.reconsider && !people.touched.has(record.id) && !matchedIds.has(id);
      return neighbourhood.links.strengthOf(record) !== 'loose' || later || !statuses.has(id) ? id : undefined;
    };
    const find = (named: NamedPerson): Found => {
      const stored = references.get(`${record.id} ${named.role}`);
      if (named.role === 'owned_by') {
        const settled = stored && { ...stored, identityId: known(stored.identityId) };
        return ownerOf(
          change,
          named,
          settled,
          directory.identityNamed(named),
          following.identityId,
          keptIdentity,
          statuses,
        );
      }
      return { identityId: directory.identityNamed(named) ?? keptIdentity(stored, named.value), shown: true };
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
  await saveReferences(tx, cause.tenantId, changed);
  await saveFormerReferences(tx, cause.tenantId, ended);
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
    const id = links.get(record.id);
    if (record.kind !== 'user' || id === undefined) continue;
    keysOf.set(id, [...(keysOf.get(id) ?? []), ...neighbourhood.keysOf(record)]);
  }
  return keys.flatMap((key): [string, Holder[]][] => {
    const identityId = directory.holderOf(key);
    if (identityId === undefined) return [];
    return [[keyText(key), [{ identityId, numbers: numbersOf(keysOf.get(identityId) ?? []) }]]];
  });
}
