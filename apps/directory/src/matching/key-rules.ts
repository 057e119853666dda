import {
  comparedText,
  type KeyKind,
  type KeyNormaliser,
  type MatchingKey,
  type MatchingRules,
  matchingKeys,
} from '@idsync/contracts';
import { comparable, normalisers } from './normalisers.js';
import { isStopValue } from './stop-values.js';

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
