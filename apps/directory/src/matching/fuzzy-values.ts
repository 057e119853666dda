import type { MatchingRules } from '@idsync/contracts';
import type { Fields } from '../shared/collections.js';
import { comparable, mailAddress } from './normalisers.js';
import { isListed, type KeyRules, keyValue, valuesOf } from './record-keys.js';
import { soundsOf } from './spellings.js';

/** Returns the values by which similar records find this one, for the fields that the rules compare. */
export function fuzzyValues(fields: Fields, rules: MatchingRules): string[] {
  const found: string[] = [];
  for (const field of comparedFields(rules)) {
    for (const value of comparedBy(fields, field, rules)) if (value !== undefined) found.push(`${field} ${value}`);
  }
  return found;
}

const compared = new WeakMap<MatchingRules, readonly string[]>();

function comparedFields(rules: MatchingRules): readonly string[] {
  const known = compared.get(rules);
  if (known) return known;
  const fields = [...new Set(rules.weak.flatMap(({ comparisons }) => comparisons.map(({ field }) => field)))];
  compared.set(rules, fields);
  return fields;
}

function comparedBy(fields: Fields, field: string, rules: MatchingRules): readonly (string | undefined)[] {
  if (field === 'full_name') return soundsOf(fields);
  return field === 'email' ? internationalEmails(fields, rules) : [comparedValue(fields, field, rules)];
}

/** Returns the normalised value of a field that rules compare; undefined if it is missing or identifies no person. */
export function comparedValue(
  fields: Fields,
  field: string,
  rules: Pick<MatchingRules, 'keys' | 'stop_values'>,
): string | undefined {
  const value = comparable(fields[field]?.[0]);
  return value === undefined || isListed(value, field, rules) ? undefined : value;
}

/**
 * Returns the addresses of a record that have an international domain, in its ASCII form, with their keys. All others
 * have one notation, so that equal ones are linked by their key.
 */
function notations(fields: Fields, rules: KeyRules): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const value of valuesOf(fields, 'email')) {
    if (isPlain(value)) continue;
    const key = keyValue('email', value, rules);
    const address = key && mailAddress(key);
    if (!key || !address || !isInternational(address)) continue;
    found.set(address, (found.get(address) ?? new Set()).add(key));
  }
  return found;
}

/**
 * Most addresses, for which the general way takes several times as long. The domain may be written with percent signs.
 */
function isPlain(value: string): boolean {
  return /^[!-$&-~]*$/.test(value) && !/xn--/i.test(value);
}

function isInternational(address: string): boolean {
  const labels = address.slice(address.lastIndexOf('@') + 1).split('.');
  return labels.some((label) => label.startsWith('xn--'));
}

/** Returns the lookup values of a record's addresses with an international domain. */
export function internationalEmails(fields: Fields, rules: KeyRules): string[] {
  return [...notations(fields, rules).keys()];
}

/** Returns true if two records have one address in two notations of its domain. */
export function haveEmailInTwoNotations(a: Fields, b: Fields, rules: KeyRules): boolean {
  const others = notations(b, rules);
  return [...notations(a, rules)].some(([address, keys]) => {
    const otherKeys = others.get(address);
    return otherKeys !== undefined && ![...keys].some((key) => otherKeys.has(key));
  });
}
