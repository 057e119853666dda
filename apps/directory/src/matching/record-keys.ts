import {
  comparedText,
  deletedStatus,
  type KeyKind,
  type KeyNormaliser,
  type MatchingKey,
  type MatchingRules,
  matchingKeys,
  mostKeyValues,
} from '@idsync/contracts';
import type { CorrelationKey, StoredRecord } from '@idsync/database/directory';
import { distinct, type Fields } from '../shared/collections.js';
import { comparable, normalisers } from './normalisers.js';
import { isStopValue } from './stop-values.js';

export interface RecordKey extends CorrelationKey {
  /** Set on an attribute that is never given to another person. */
  permanent?: true;
}

/** Returns true for a key that belongs to one person, like an employee number, and false for an address. */
export function isPermanent({ kind, permanent }: RecordKey): boolean {
  return kind === 'employee_number' || permanent === true;
}

const known = new WeakMap<Fields, { rules: KeyRules; keys: readonly RecordKey[] }>();

/**
 * Returns the normalised match keys of these fields in the order of the rules, whether they link to a record or not,
 * without values that cannot identify a person. A batch asks several times for the keys of a record, whose fields never
 * change in place.
 */
export function allKeys(fields: Fields, rules: KeyRules): readonly RecordKey[] {
  const computed = known.get(fields);
  if (computed?.rules === rules) return computed.keys;
  const keys = rules.certain.flatMap((kind) => keysOfKind(fields, kind, rules));
  known.set(fields, { rules, keys });
  return keys;
}

function keysOfKind(fields: Fields, kind: KeyKind, rules: KeyRules): RecordKey[] {
  const permanent = kind !== 'employee_number' && isPermanentKind(kind, rules);
  const values = valuesOf(fields, kind).flatMap((value) => keyValue(kind, value, rules) ?? []);
  return distinct(values).map((value) => (permanent ? { kind, value, permanent } : { kind, value }));
}

/** Returns the values of a field that are match keys. The order of values does not count, so it decides nothing. */
export function valuesOf(fields: Fields, kind: KeyKind): readonly string[] {
  const values = fields[kind] ?? [];
  if (values.length < 2 && !(kind === 'email' && fields.other_emails)) return values;
  const ordered = isBuiltIn(kind) ? values.slice(0, 1) : [...values].sort();
  const others = kind === 'email' ? [...(fields.other_emails ?? [])].sort() : [];
  return [...ordered, ...others].slice(0, mostKeyValues);
}

function isBuiltIn(kind: KeyKind): boolean {
  return (matchingKeys as readonly string[]).includes(kind);
}

/** Returns the employee number and the permanent attributes of a record; two different ones are two people. */
export function permanentKeys(fields: Fields, rules: KeyRules): RecordKey[] {
  const kinds = new Set<KeyKind>(['employee_number', ...rules.certain.filter((kind) => isPermanentKind(kind, rules))]);
  return [...kinds].flatMap((kind) => keysOfKind(fields, kind, rules));
}

/**
 * Returns the match keys that link to a record. A deleted user keeps its permanent keys, so that a returning person is
 * recognised, and gives up its addresses, because they are given to others.
 */
export function activeKeys(record: StoredRecord, rules: KeyRules): readonly RecordKey[] {
  const keys = allKeys(record.fields, rules);
  return isDeleted(record) ? keys.filter((key) => record.kind === 'user' && isPermanent(key)) : keys;
}

/** Returns the addresses of a deleted user, which link nothing: a new holder of one of them may be the same person. */
export function formerKeys(record: StoredRecord, rules: KeyRules): RecordKey[] {
  if (record.kind !== 'user' || !isDeleted(record)) return [];
  return allKeys(record.fields, rules).filter((key) => !isPermanent(key));
}

/** Returns true for a deleted or decommissioned record. */
export function isDeleted(record: Pick<StoredRecord, 'status'>): boolean {
  return record.status === 'deleted' || record.status === 'decommissioned';
}

/** Returns true for a record that was deleted because its source no longer lists it. */
export function isTombstone(record: Pick<StoredRecord, 'status' | 'contentHash'>): boolean {
  return record.contentHash.length === 0 && isDeleted(record);
}

/** Marks a record as deleted. Without a hash, it is applied again when its source lists it again. */
export function tombstoneOf(record: StoredRecord): StoredRecord {
  return { ...record, status: deletedStatus[record.kind], contentHash: Buffer.alloc(0) };
}

/** Returns true for a deleted record that its source no longer lists or reports as deleted. */
export function isGone(record: Pick<StoredRecord, 'status' | 'contentHash' | 'fields'>): boolean {
  const sourceStatus = record.fields.status?.[0];
  return isDeleted(record) && (isTombstone(record) || sourceStatus === 'deleted' || sourceStatus === 'decommissioned');
}

export function keyText(key: CorrelationKey): string {
  return `${key.kind} ${key.value}`;
}

/** Values of the permanent keys, by key. */
export type Numbers = ReadonlyMap<KeyKind, ReadonlySet<string>>;

/** Returns the employee numbers and other permanent keys among these. */
export function numbersOf(keys: readonly RecordKey[]): Numbers {
  const numbers = new Map<KeyKind, Set<string>>();
  for (const key of keys) {
    if (isPermanent(key)) numbers.set(key.kind, (numbers.get(key.kind) ?? new Set()).add(key.value));
  }
  return numbers;
}

/** Returns true if both sides have values of a permanent key and none in common, which makes them two people. */
export function contradict(a: Numbers, b: Numbers): boolean {
  return [...a].some(([kind, values]) => {
    const others = b.get(kind);
    return others !== undefined && ![...values].some((value) => others.has(value));
  });
}

/** The part of a tenant's rules that determines the match keys of a record. */
export type KeyRules = Pick<MatchingRules, 'certain' | 'keys' | 'stop_values'>;

/** Longer values are not used as keys, because they must fit into an index row. */
const longest = 512;

/** Trims a value and ignores case; undefined if it is empty or too long for a key. */
export function normaliseText(value: string | undefined): string | undefined {
  return bounded(value && normalisers.case(comparedText(value)));
}

/** Returns the normalised match key; undefined for a value that cannot identify a person. */
export function keyValue(kind: KeyKind, value: string | undefined, rules: KeyRules): string | undefined {
  const text = normaliseText(value);
  if (value === undefined || text === undefined) return undefined;
  const settings = rules.keys.find(({ field }) => field === kind);
  const normaliser = settings?.normaliser ?? 'case';
  const like = likeOf(kind, normaliser, isPermanentKind(kind, rules));
  if (isStopValue(like, text) || isListed(text, kind, rules)) return undefined;
  const key = bounded(normalisers[normaliser](comparedText(value)));
  if (key === text) return key;
  // A stop value can be what the normaliser leaves, such as the zeros of `ID 0000`.
  return key === undefined || isStopValue(undefined, key) || isListed(key, kind, rules) ? undefined : key;
}

/** Returns the built-in key whose stop values an attribute has. */
function likeOf(kind: KeyKind, normaliser: KeyNormaliser, isPermanent: boolean): MatchingKey | undefined {
  const builtIn = matchingKeys.find((key) => key === kind);
  if (builtIn) return builtIn;
  if (normaliser === 'email') return 'email';
  return isPermanent ? 'employee_number' : undefined;
}

/** Returns true for a key that is never given to another person. */
export function isPermanentKind(kind: KeyKind, { keys }: Pick<KeyRules, 'keys'>): boolean {
  return kind === 'employee_number' || keys.some(({ field, strength }) => field === kind && strength === 'permanent');
}

type StopRules = Pick<MatchingRules, 'stop_values'> & Partial<Pick<MatchingRules, 'keys'>>;

const listed = new WeakMap<MatchingRules['stop_values'], ReadonlyMap<string, ReadonlySet<string>>>();

/**
 * Returns true for a normalised value that the tenant lists as a stop value. `team` lists this mailbox of any domain,
 * and `@x.org` any mailbox of this domain.
 */
export function isListed(value: string, field: string, rules: StopRules): boolean {
  if (rules.stop_values.length === 0) return false;
  const stops = compiled(rules).get(field);
  if (!stops) return false;
  const at = value.lastIndexOf('@');
  return stops.has(value) || (at > 0 && (stops.has(value.slice(0, at)) || stops.has(value.slice(at))));
}

/** The rules of a tenant are loaded once for each transaction, and read for each value. */
function compiled({ stop_values: stopValues, keys = [] }: StopRules): ReadonlyMap<string, ReadonlySet<string>> {
  const known = listed.get(stopValues);
  if (known) return known;
  const byField = new Map<string, Set<string>>();
  for (const { field, values } of stopValues) {
    const stops = byField.get(field) ?? new Set<string>();
    byField.set(field, stops);
    for (const value of values) {
      // Not in notations of other keys: the digits of `EXT-1` are the employee number 1.
      const own = keys.find((key) => key.field === field)?.normaliser ?? 'case';
      const notations = [
        comparable(value),
        normalisers.case(comparedText(value)),
        normalisers[own](comparedText(value)),
      ];
      for (const notation of notations) if (notation) stops.add(notation);
    }
  }
  listed.set(stopValues, byField);
  return byField;
}

function bounded(text: string | undefined): string | undefined {
  return text && text.length <= longest ? text : undefined;
}
