import type { Transaction } from '@idsync/database';
import { findRecordsSharingValues, findRecordsWithUsers, type StoredRecord } from '@idsync/database/directory';
import { isDeleted } from './record-keys.js';

/** Records with all records that share a fuzzy-match value with one of them. */
export interface Surroundings {
  /** By id, including all users of each record's identity. */
  records: ReadonlyMap<string, StoredRecord>;
  /** Current (not deleted) users by identity. */
  people: ReadonlyMap<string, readonly StoredRecord[]>;
  /** Ids of the records that share a value, by record id. */
  sharers: ReadonlyMap<string, ReadonlySet<string>>;
}

export async function surroundingsOf(
  tx: Transaction,
  tenantId: string,
  recordIds: ReadonlySet<string>,
): Promise<Surroundings> {
  const groups = await findRecordsSharingValues(tx, tenantId, [...recordIds]);
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
    if (record.kind !== 'user' || isDeleted(record) || !record.identityId) continue;
    const users = people.get(record.identityId) ?? [];
    people.set(record.identityId, users);
    users.push(record);
  }
  return people;
}
