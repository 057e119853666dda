import type { MatchingKey } from '@idsync/contracts';
import type { CorrelationKey, StoredRecord } from '@idsync/database';

/** Longer values are no keys; an index row must hold them. */
const longest = 512;

/** The certain keys of a record, normalised, in the order of `certain`. A value that cannot identify anyone is no key. */
function recordKeys(
  fields: Readonly<Record<string, readonly string[]>>,
  certain: readonly MatchingKey[],
): CorrelationKey[] {
  return certain.flatMap((kind) => {
    const value = normalise(kind, fields[kind]?.[0]);
    return value === undefined ? [] : [{ kind, value }];
  });
}

/**
 * The keys that speak for a record. One that its source has deleted keeps its employee number, so that who comes back is
 * known again, and gives its addresses back, since those are handed on.
 */
export function speakingKeys(record: StoredRecord, certain: readonly MatchingKey[]): CorrelationKey[] {
  const keys = recordKeys(record.fields, certain);
  if (isLiving(record)) return keys;
  return keys.filter((key) => record.kind === 'user' && key.kind === 'employee_number');
}

/** False for what its source has deleted. */
export function isLiving(record: StoredRecord): boolean {
  return record.status !== 'deleted' && record.status !== 'decommissioned';
}

/** Its source lists it no more. */
export function isTombstone(record: StoredRecord): boolean {
  return record.contentHash.length === 0 && !isLiving(record);
}

export function keyText(key: CorrelationKey): string {
  return `${key.kind} ${key.value}`;
}

function normalise(kind: MatchingKey, value: string | undefined): string | undefined {
  const text = normaliseText(value);
  if (text === undefined) return undefined;
  if (kind === 'email' && !/^[^\s@]+@[^\s@]+$/.test(text)) return undefined;
  return text;
}

/** A value as it is compared with others; undefined if it cannot name anybody. */
export function normaliseText(value: string | undefined): string | undefined {
  const text = value?.normalize('NFC').trim().toLowerCase();
  return text && text.length <= longest ? text : undefined;
}
