import { findRecordsWithUsers, findSharers, type StoredRecord, type Transaction } from '@idsync/database';
import { isLiving } from './record-keys.js';

/** Some records, and everybody who could be found by what one of them says. */
export interface Surroundings {
  /** By id; with a record all users of its identity are here. */
  records: ReadonlyMap<string, StoredRecord>;
  /** Living users by identity. */
  people: ReadonlyMap<string, readonly StoredRecord[]>;
  /** Ids of those that share a value with a record, by its id. */
  sharers: ReadonlyMap<string, ReadonlySet<string>>;
}

export async function surroundingsOf(
  tx: Transaction,
  tenantId: string,
  recordIds: ReadonlySet<string>,
): Promise<Surroundings> {
  const groups = await findSharers(tx, tenantId, [...recordIds]);
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
  return { records: new Map(found.map((record) => [record.id, record])), people: peopleOf(found), sharers };
}

function peopleOf(records: readonly StoredRecord[]): Map<string, StoredRecord[]> {
  const people = new Map<string, StoredRecord[]>();
  for (const record of records) {
    if (record.kind !== 'user' || !isLiving(record) || !record.identityId) continue;
    const users = people.get(record.identityId) ?? [];
    people.set(record.identityId, users);
    users.push(record);
  }
  return people;
}
