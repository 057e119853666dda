import { encodeId, newUuid } from '@idsync/contracts';
import type { StoredRecord } from '@idsync/database/directory';
import type { KeyRules } from '../matching/key-rules.js';
import { namesDisagree, nameWords, shareOnlySurname } from '../matching/names.js';
import { contradict, numbersOf } from '../matching/numbers.js';
import { allKeys, isPermanent, keyText } from '../matching/record-keys.js';
import type { RecordChange } from '../record-change.js';

/**
 * Returns true if a source lists another person under the external id of a user: the permanent keys contradict each
 * other, no match key is the same, and the names are of different people or of relatives.
 */
export function isReused({ before, record }: RecordChange, rules: KeyRules): boolean {
  if (!before || before.kind !== 'user') return false;
  const [was, is] = [allKeys(before.fields, rules), allKeys(record.fields, rules)];
  if (!contradict(numbersOf(was.filter(isPermanent)), numbersOf(is.filter(isPermanent)))) return false;
  const texts = new Set(was.map(keyText));
  if (is.some((key) => texts.has(keyText(key)))) return false;
  const [name, other] = [nameWords(before.fields), nameWords(record.fields)];
  return namesDisagree(name, other) || shareOnlySurname(name, other);
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
  return {
    ...before,
    externalId: `${before.externalId} (formerly ${encodeId('user', before.id)})`,
    status: 'deleted',
    contentHash: Buffer.alloc(0),
    lastJobId,
    lastSeq,
    updatedAt,
  };
}

function made(record: StoredRecord, now: Date): RecordChange {
  const { identityId: _, linkedBy: __, previous: ___, evidence: ____, ...values } = record;
  const times = Object.fromEntries(Object.keys(record.fields).map((field) => [field, now.toISOString()]));
  return {
    record: {
      ...values,
      id: newUuid(),
      decided: false,
      changedAt: times,
      createdAt: now,
      statusSince: now,
    },
  };
}
