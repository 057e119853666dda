import { encodeId, newUuid } from '@idsync/contracts';
import type { StoredRecord } from '@idsync/database/directory';
import type { RecordChange } from '../changes/record-change.js';
import { namesDisagree, nameWords, shareOnlySurname } from '../matching/names.js';
import {
  allKeys,
  contradict,
  isPermanent,
  type KeyRules,
  keyText,
  numbersOf,
  type RecordKey,
  tombstoneOf,
} from '../matching/record-keys.js';

/**
 * Returns true if a source lists another person under the external id of a user: no match key is the same, the permanent
 * keys contradict each other, and the names are of different people or of relatives. Without permanent keys, the addresses
 * contradict each other and the names are of different people. The mailbox of a position may be the same if both the
 * permanent keys and the names are of different people.
 */
export function isReused({ before, record }: RecordChange, rules: KeyRules): boolean {
  if (before?.kind !== 'user') return false;
  // Another row of the id in one list.
  if (before.previous === undefined && before.lastJobId === record.lastJobId) return false;
  const [was, is] = [keysBesideId(before, rules), keysBesideId(record, rules)];
  const texts = new Set(was.map(keyText));
  const shared = is.filter((key) => texts.has(keyText(key)));
  if (shared.some(isPermanent)) return false;
  const [name, other] = [nameWords(before.fields), nameWords(record.fields)];
  if (was.some(isPermanent) || is.some(isPermanent)) {
    if (!contradict(numbersOf(was), numbersOf(is))) return false;
    return namesDisagree(name, other) || (shared.length === 0 && shareOnlySurname(name, other));
  }
  if (shared.length > 0) return false;
  return was.some((key) => is.some(({ kind }) => kind === key.kind)) && namesDisagree(name, other);
}

/** Returns the match keys of a record without those that only repeat its external id, as in a file with one such column. */
function keysBesideId({ externalId, fields }: StoredRecord, rules: KeyRules): RecordKey[] {
  const ofId = allKeys(Object.fromEntries(rules.certain.map((kind) => [kind, [externalId]])), rules);
  const texts = new Set(ofId.map(keyText));
  return allKeys(fields, rules).filter((key) => !texts.has(keyText(key)));
}

/**
 * Replaces each change that gives an external id to another person: the earlier user is deleted and gives up the id, so
 * that the other person gets a new user, without the history of the earlier one.
 */
export function separateReused(changes: readonly RecordChange[], rules: KeyRules, now: Date): RecordChange[] {
  return changes.flatMap((change): RecordChange[] => {
    const { before, record } = change;
    return before && isReused(change, rules)
      ? [{ before, record: former(before, record) }, made(record, now)]
      : [change];
  });
}

/** The id names the user, because the source can give its id to several people, one after the other. */
function former(before: StoredRecord, { lastJobId, lastSeq, updatedAt }: StoredRecord): StoredRecord {
  const externalId = `${before.externalId} (formerly ${encodeId('user', before.id)})`;
  return { ...tombstoneOf(before), externalId, lastJobId, lastSeq, updatedAt };
}

function made(record: StoredRecord, now: Date): RecordChange {
  const { identityId: _, linkedBy: __, keptIdentityId: ___, previous: ____, evidence: _____, ...values } = record;
  const times = Object.fromEntries(Object.keys(record.fields).map((field) => [field, now.toISOString()]));
  return { record: { ...values, id: newUuid(), decided: false, changedAt: times, createdAt: now, statusSince: now } };
}
