import type { MatchingRules } from '@idsync/contracts';
import { internationalEmails } from './international-emails.js';
import { isListed } from './key-rules.js';
import { comparable } from './normalisers.js';
import { soundsOf } from './spellings.js';

type Fields = Readonly<Record<string, readonly string[]>>;

/** Returns the values by which similar records find this one, for the fields that the rules compare. */
export function weakValues(fields: Fields, rules: MatchingRules): string[] {
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
