import type { MatchingKey } from '@idsync/contracts';
import type { CorrelationKey, StoredRecord } from '@idsync/database/directory';
import { isStopValue } from './stop-values.js';

/** Longer values are not used as keys, because they must fit into an index row. */
const longest = 512;

/** Returns the normalised match keys in the order of `certain`, without values that cannot identify a person. */
function recordKeys(
  fields: Readonly<Record<string, readonly string[]>>,
  certain: readonly MatchingKey[],
): CorrelationKey[] {
  return certain.flatMap((kind) => {
    const value = keyValue(kind, fields[kind]?.[0]);
    return value === undefined ? [] : [{ kind, value }];
  });
}

/** Returns the values of a record that an earlier version stored as match keys although they identify no person. */
export function stopKeys({ fields }: StoredRecord, certain: readonly MatchingKey[]): CorrelationKey[] {
  return certain.flatMap((kind) => {
    const value = normaliseText(fields[kind]?.[0]);
    return value !== undefined && isStopValue(kind, value) ? [{ kind, value }] : [];
  });
}

/**
 * Returns the match keys that link to a record. A deleted user keeps its employee number, so that a returning person is
 * recognised, and gives up its addresses, because they are given to others.
 */
export function activeKeys(record: StoredRecord, certain: readonly MatchingKey[]): CorrelationKey[] {
  const keys = recordKeys(record.fields, certain);
  if (!isDeleted(record)) return keys;
  return keys.filter((key) => record.kind === 'user' && key.kind === 'employee_number');
}

/** Returns the addresses of a deleted user, which link nothing: a new holder of one of them may be the same person. */
export function formerKeys(record: StoredRecord, certain: readonly MatchingKey[]): CorrelationKey[] {
  if (record.kind !== 'user' || !isDeleted(record)) return [];
  return recordKeys(record.fields, certain).filter(({ kind }) => kind !== 'employee_number');
}

/** Returns true for a deleted or decommissioned record. */
export function isDeleted(record: Pick<StoredRecord, 'status'>): boolean {
  return record.status === 'deleted' || record.status === 'decommissioned';
}

/** Returns true for a record that was deleted because its source no longer lists it. */
export function isTombstone(record: Pick<StoredRecord, 'status' | 'contentHash'>): boolean {
  return record.contentHash.length === 0 && isDeleted(record);
}

/** Returns true for a deleted record that its source no longer lists or reports as deleted. */
export function isGone(record: Pick<StoredRecord, 'status' | 'contentHash' | 'fields'>): boolean {
  const sourceStatus = record.fields.status?.[0];
  return isDeleted(record) && (isTombstone(record) || sourceStatus === 'deleted' || sourceStatus === 'decommissioned');
}

export function keyText(key: CorrelationKey): string {
  return `${key.kind} ${key.value}`;
}

/** Returns the normalised match key; undefined for a value that cannot identify a person. */
export function keyValue(kind: MatchingKey, value: string | undefined): string | undefined {
  const text = normaliseText(value);
  return text === undefined || isStopValue(kind, text) ? undefined : text;
}

/** Normalises a value for comparison; undefined if it is empty or too long for a key. */
export function normaliseText(value: string | undefined): string | undefined {
  const text = value?.normalize('NFC').trim().toLowerCase();
  return text && text.length <= longest ? text : undefined;
}
