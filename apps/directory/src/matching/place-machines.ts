import { type MachineReference, newUuid, type PersonStatus } from '@idsync/contracts';
import {
  type CorrelationKey,
  findReferences,
  type StoredRecord,
  type StoredReference,
  saveReferences,
  type Transaction,
} from '@idsync/database';
import type { Cause } from '../cause.js';
import { deriveIdentityStatus } from '../derive-status.js';
import { custodyOf, type Standing } from '../machines.js';
import type { RecordChange } from '../record-change.js';
import { bonds } from './bonds.js';
import { findSubjects, type PlacedPeople } from './find-machines.js';
import { followPeople, type Holder } from './follow-people.js';
import type { Neighbourhood } from './neighbourhood.js';
import { isLiving, keyText } from './record-keys.js';
import { type Directory, lookUp, type NamedPerson, namedBy } from './resolve-references.js';
import { type Found, ownerOf, settleMachine } from './settle-machine.js';

/**
 * Links machines to whoever answers for them, and settles what follows from that. Only machines are looked at that changed
 * themselves, that name somebody who came, went or changed hands, or whose people are more or less active than before.
 * Resolves with the keys each of them waits for.
 */
export async function placeMachines(
  tx: Transaction,
  cause: Cause,
  hood: Neighbourhood,
  people: PlacedPeople,
): Promise<{ id: string; keys: CorrelationKey[] }[]> {
  const { links, successors } = people;
  const homeOf = ({ record: { identityId }, placed }: RecordChange) =>
    placed ? identityId : (identityId && successors.get(identityId)) || identityId;
  const machines = await findSubjects(tx, cause, hood, people);
  const references = new Map(
    (
      await findReferences(
        tx,
        machines.map(({ record }) => record.id),
      )
    ).map((each) => [`${each.recordId} ${each.role}`, each]),
  );
  const near = new Set(hood.identities.keys());
  const guests = machines.flatMap(({ record }) => (hood.guests.has(record.id) ? hood.keysOf(record) : []));
  const records = machines.map(({ record }) => record);
  const directory = await lookUp(tx, cause, records, guests, hood.changes.values(), links);
  const known = (id: string | undefined) => id && (successors.get(id) ?? id);
  await hood.invite(
    [],
    [
      ...machines.flatMap(({ record, before }) => [record.identityId, before?.identityId]),
      ...records.flatMap(namedBy).map((named) => directory.identityNamed(named)),
      ...guests.map((key) => directory.holderOf(key)),
      ...[...references.values()].map(({ identityId }) => known(identityId)),
    ],
  );
  for (const change of hood.changes.values()) {
    const { record, removed } = change;
    const home = homeOf(change);
    if (removed || home === undefined) continue;
    if (record.kind === 'machine_identity' || hood.guests.has(record.id)) links.set(record.id, home);
  }

  const bondOf = await bonds(tx, cause, machines);
  const statuses = statusesOf(hood, links);
  const holders = new Map([...holdersAmong(guests, directory, hood, links), ...people.holders]);
  const standing = (id: string | undefined): Standing | undefined =>
    id === undefined ? undefined : { id, ...(statuses.has(id) && { status: statuses.get(id) }) };
  const waiting: { id: string; keys: CorrelationKey[] }[] = [];
  const changed: StoredReference[] = [];
  for (const change of machines) {
    const { record } = change;
    const following = followPeople({ keys: hood.keysOf(record) }, holders);
    waiting.push({ id: record.id, keys: following.waitsFor });
    const keeps = (stored: StoredReference | undefined, value: string | undefined) => {
      const id = known(stored?.identityId);
      if (id === undefined || stored?.value !== value) return undefined;
      // While everybody is sorted anew, the keys of those whose turn is yet to come are missing.
      const later = cause.reconsider && !people.touched.has(record.id) && !near.has(id);
      return bondOf(record) !== 'loose' || later || !statuses.has(id) ? id : undefined;
    };
    const find = (named: NamedPerson): Found => {
      const stored = references.get(`${record.id} ${named.role}`);
      if (named.role === 'owned_by') {
        const settled = stored && { ...stored, identityId: known(stored.identityId) };
        return ownerOf(change, named, settled, directory.identityNamed(named), following.identityId, keeps, statuses);
      }
      return { identityId: directory.identityNamed(named) ?? keeps(stored, named.value), shown: true };
    };
    const found = new Map<MachineReference, Found>();
    for (const named of namedBy(record)) {
      const one = find(named);
      found.set(named.role, one);
      const stored = references.get(`${record.id} ${named.role}`);
      if (stored?.value !== named.value || stored?.identityId !== one.identityId) {
        changed.push({ recordId: record.id, role: named.role, value: named.value, identityId: one.identityId });
      }
    }
    const inheritor = isLiving(record) ? standing(found.get('technical_inheritor')?.identityId) : undefined;
    const custody = custodyOf(standing(found.get('owned_by')?.identityId), inheritor);
    const home = homeOf(change);
    const alone = home !== undefined && !statuses.has(home) ? home : newUuid();
    links.set(record.id, isLiving(record) || home === undefined ? (custody.keeperId ?? alone) : home);
    settleMachine(change, custody, found, statuses, cause.now);
  }
  await saveReferences(tx, cause.tenantId, changed);
  return waiting;
}

/** The status of every identity here that has people, as they are placed now. */
function statusesOf(hood: Neighbourhood, links: ReadonlyMap<string, string>): Map<string, PersonStatus> {
  const members = new Map<string, StoredRecord[]>();
  for (const { record, removed } of hood.changes.values()) {
    const id = links.get(record.id);
    if (record.kind === 'machine_identity' || removed || id === undefined) continue;
    const group = members.get(id);
    if (group) group.push(record);
    else members.set(id, [record]);
  }
  return new Map([...members].map(([id, records]) => [id, deriveIdentityStatus(records)]));
}

/** Who has these keys, with the numbers that must not speak against it. */
function holdersAmong(
  keys: readonly CorrelationKey[],
  directory: Directory,
  hood: Neighbourhood,
  links: ReadonlyMap<string, string>,
): [string, Holder[]][] {
  if (keys.length === 0) return [];
  const numbers = new Map<string, Set<string>>();
  for (const { record } of hood.changes.values()) {
    const id = links.get(record.id);
    if (record.kind !== 'user' || id === undefined) continue;
    const own = numbers.get(id) ?? new Set();
    for (const { kind, value } of hood.keysOf(record)) if (kind === 'employee_number') own.add(value);
    numbers.set(id, own);
  }
  return keys.flatMap((key): [string, Holder[]][] => {
    const identityId = directory.holderOf(key);
    if (identityId === undefined) return [];
    return [[keyText(key), [{ identityId, numbers: numbers.get(identityId) ?? new Set() }]]];
  });
}
