import type { Transaction } from '@idsync/database';
import { findReferrers, type StoredRecord } from '@idsync/database/directory';
import type { Cause } from '../cause.js';
import { deriveIdentityStatus } from '../derive-status.js';
import type { Precedence } from '../rank-sources.js';
import type { RecordChange } from '../record-change.js';
import { append } from '../value-sets.js';
import type { Holder } from './follow-people.js';
import { normaliseText } from './key-rules.js';
import type { Neighbourhood } from './neighbourhood.js';

/** Result of placing people and accounts, on which the placement of machines depends. */
export interface PlacedPeople {
  /** Identity ids by record id; `placeMachines` adds those of machines. */
  links: Map<string, string>;
  successors: ReadonlyMap<string, string>;
  /** Computed for machines and accounts only. */
  holders: () => ReadonlyMap<string, readonly Holder[]>;
  /** Records that changed or waited for a key that moved. */
  touched: ReadonlySet<string>;
  moved: MovedKeys;
}

/** Match keys that were added, removed or moved to another identity, and the identities involved. */
export interface MovedKeys {
  values: Set<string>;
  identityIds: Set<string>;
}

/** Returns machines that changed or whose people changed, with one lookup per batch. */
export async function findSubjects(
  tx: Transaction,
  cause: Cause,
  neighbourhood: Neighbourhood,
  { links, successors, touched, moved }: PlacedPeople,
): Promise<RecordChange[]> {
  const { tenantId, connectors, rules } = cause;
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
  const referrers = new Set(await findReferrers(tx, tenantId, [...values], present));
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
  const add = (map: Map<string, StoredRecord[]>, id: string | undefined, record: StoredRecord) => {
    if (id !== undefined) append(map, id, record);
  };
  for (const { record, before, removed } of neighbourhood.changes.values()) {
    if (record.kind === 'machine_identity') continue;
    if (before) add(was, before.identityId, before);
    if (!removed) add(is, links.get(record.id), record);
  }
  const statusIn = (map: Map<string, StoredRecord[]>, id: string) => {
    const records = map.get(id);
    return records && deriveIdentityStatus(records, precedence, neighbourhood.identities.get(id));
  };
  return new Set([...was.keys(), ...is.keys()].filter((id) => statusIn(was, id) !== statusIn(is, id)));
}
