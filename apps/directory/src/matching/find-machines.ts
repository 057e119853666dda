import { findReferrers, type StoredRecord, type Transaction } from '@idsync/database';
import type { Cause } from '../cause.js';
import { deriveIdentityStatus } from '../derive-status.js';
import type { RecordChange } from '../record-change.js';
import type { Holder } from './follow-people.js';
import type { Neighbourhood } from './neighbourhood.js';
import { normaliseText } from './record-keys.js';

/** How people and accounts have been placed, which machines follow. */
export interface PlacedPeople {
  /** Identities by record; the machines' are added here. */
  links: Map<string, string>;
  successors: ReadonlyMap<string, string>;
  holders: ReadonlyMap<string, readonly Holder[]>;
  /** Records that changed, or waited for a key that moved. */
  touched: ReadonlySet<string>;
  moved: MovedKeys;
}

/** Certain keys that came, went or changed hands, and the identities that had a part in that. */
export interface MovedKeys {
  values: Set<string>;
  identityIds: Set<string>;
}

/** Machines that changed themselves, or whose people did, by one look-up for all that a batch brings. */
export async function findSubjects(
  tx: Transaction,
  { tenantId, connectors }: Cause,
  hood: Neighbourhood,
  { links, successors, touched, moved }: PlacedPeople,
): Promise<RecordChange[]> {
  // Where no source lists machines, nobody is named by one.
  if ([...connectors.values()].every(({ records }) => records !== 'machine_identity')) return [];
  const shifted = shiftedIdentities(hood, links);
  for (const id of moved.identityIds) shifted.add(id);
  for (const [from, to] of successors) shifted.add(from).add(to);
  const values = new Set(moved.values);
  for (const { record, before, removed } of hood.changes.values()) {
    if (record.kind !== 'user' || (before && !removed && links.get(record.id) === before.identityId)) continue;
    const named = normaliseText(record.externalId);
    if (named !== undefined) values.add(named);
  }
  const there = [...shifted].filter((id) => hood.identities.has(id));
  const referrers = new Set(await findReferrers(tx, tenantId, [...values], there));
  await hood.invite([...referrers], []);
  return [...hood.changes.values()].filter(
    ({ record, removed }) =>
      record.kind === 'machine_identity' &&
      !removed &&
      (touched.has(record.id) || referrers.has(record.id) || (record.identityId && shifted.has(record.identityId))),
  );
}

/** Identities whose people have another status by now than before, or are there for the first or the last time. */
function shiftedIdentities(hood: Neighbourhood, links: ReadonlyMap<string, string>): Set<string> {
  const was = new Map<string, StoredRecord[]>();
  const is = new Map<string, StoredRecord[]>();
  const add = (map: Map<string, StoredRecord[]>, id: string | undefined, record: StoredRecord) => {
    if (id !== undefined) map.set(id, [...(map.get(id) ?? []), record]);
  };
  for (const { record, before, removed } of hood.changes.values()) {
    if (record.kind === 'machine_identity') continue;
    if (before) add(was, before.identityId, before);
    if (!removed) add(is, links.get(record.id), record);
  }
  const statusIn = (map: Map<string, StoredRecord[]>, id: string) => {
    const records = map.get(id);
    return records && deriveIdentityStatus(records);
  };
  return new Set([...was.keys(), ...is.keys()].filter((id) => statusIn(was, id) !== statusIn(is, id)));
}
