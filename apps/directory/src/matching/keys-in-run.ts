import type { CorrelationKey, StoredRecord } from '@idsync/database/directory';
import type { RecordChange } from '../record-change.js';
import { namesDisagree, nameWords } from './names.js';
import type { Neighbourhood } from './neighbourhood.js';
import { isDeleted, keyText } from './record-keys.js';

/**
 * Returns the match keys of each user in this run. An unlisted user loses its address keys, except those of a single
 * record that the same run added from the same source, with no other name: then only the external id has changed, and
 * the person is the same.
 */
export function keysInRun(
  neighbourhood: Neighbourhood,
  jobId: string | undefined,
): (change: RecordChange) => CorrelationKey[] {
  let users: Map<string, StoredRecord[]> | undefined;
  const isTakenOver = (key: CorrelationKey, gone: StoredRecord) => {
    users ??= usersByKey(neighbourhood);
    const [other, ...others] = (users.get(keyText(key)) ?? []).filter(({ id }) => id !== gone.id);
    if (others.length > 0 || other?.connectorId !== gone.connectorId || other.linkedBy !== jobId) return false;
    return !namesDisagree(nameWords(other.fields), nameWords(gone.fields));
  };
  return ({ record, before }) => {
    const keys = neighbourhood.keysOf(record);
    const hasGone = before && !isDeleted(before) && isDeleted(record) && record.contentHash.length === 0;
    if (!hasGone || jobId === undefined) return keys;
    const kept = new Set(keys.map(keyText));
    const lost = neighbourhood.keysOf(before).filter((key) => !kept.has(keyText(key)));
    return [...keys, ...lost.filter((key) => isTakenOver(key, record))];
  };
}

/** The neighbourhood's users by the text of each of their keys. */
function usersByKey(neighbourhood: Neighbourhood): Map<string, StoredRecord[]> {
  const users = new Map<string, StoredRecord[]>();
  for (const { record, removed } of neighbourhood.changes.values()) {
    if (record.kind !== 'user' || removed) continue;
    for (const text of new Set(neighbourhood.keysOf(record).map(keyText))) {
      const known = users.get(text) ?? [];
      users.set(text, known);
      known.push(record);
    }
  }
  return users;
}
