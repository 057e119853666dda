import type { MatchingRules } from '@idsync/contracts';
import type { Transaction } from '@idsync/database';
import {
  findUsersOfSource,
  type Holder,
  lockRecordsByAnchor,
  lockRecordsById,
  type StoredRecord,
} from '@idsync/database/directory';
import { activeKeys, isDeleted, keyText } from '../matching/record-keys.js';

/** Records of a deleted connector, by what the new connector knows about them. */
export interface Counterparts {
  /** Unknown to the new connector. */
  moves: StoredRecord[];
  /** Known to it as another record of the same identity, with the same anchor or a common match key. */
  joins: { older: StoredRecord; newer: StoredRecord }[];
  /** The anchor belongs to a record of another identity. */
  conflicts: StoredRecord[];
}

/** Finds the records of the new connector that are the same as these records of the deleted one. */
export async function findCounterparts(
  tx: Transaction,
  records: readonly StoredRecord[],
  { from, to, rules }: { from: Holder; to: Holder; rules: MatchingRules },
): Promise<Counterparts> {
  const idsOf = (all: readonly StoredRecord[]) => all.map(({ externalId }) => externalId);
  const byAnchor = new Map(
    (await lockRecordsByAnchor(tx, to.id, idsOf(records))).map((each) => [each.externalId, each]),
  );
  const users = records.filter(({ kind, externalId }) => kind === 'user' && !byAnchor.has(externalId));
  const candidates = await findUsersOfSource(
    tx,
    to.id,
    users.flatMap(({ identityId }) => identityId ?? []),
  );
  const siblings = await lockRecordsById(
    tx,
    candidates.map(({ id }) => id),
  );
  // A record of the new connector whose anchor the deleted one has too belongs to that record.
  const ofAnother = new Set(idsOf(await lockRecordsByAnchor(tx, from.id, idsOf(siblings))));
  const free = new Map<string | undefined, StoredRecord[]>();
  for (const each of siblings) {
    if (!ofAnother.has(each.externalId)) free.set(each.identityId, [...(free.get(each.identityId) ?? []), each]);
  }
  const found: Counterparts = { moves: [], joins: [], conflicts: [] };
  for (const older of records) {
    const others = free.get(older.identityId) ?? [];
    const newer = byAnchor.get(older.externalId) ?? others.find((each) => haveCommonKey(older, each, rules));
    free.set(
      older.identityId,
      others.filter((each) => each !== newer),
    );
    if (!newer) found.moves.push(older);
    else if (newer.identityId === older.identityId) found.joins.push({ older, newer });
    else found.conflicts.push(older);
  }
  return found;
}

function haveCommonKey(one: StoredRecord, other: StoredRecord, rules: MatchingRules): boolean {
  if (one.identityId === undefined || one.identityId !== other.identityId || isDeleted(other)) return false;
  const keys = new Set(activeKeys(one, rules).map(keyText));
  return activeKeys(other, rules).some((key) => keys.has(keyText(key)));
}
