import type { MatchingRules } from '@idsync/contracts';
import { nameWords, soundOf } from './names.js';
import { isPlaceholder } from './stop-values.js';

type Fields = Readonly<Record<string, readonly string[]>>;

/** Returns the values by which similar records find this one, for the fields that the rules compare. */
export function weakValues(fields: Fields, rules: MatchingRules): string[] {
  const compared = new Set(rules.weak.flatMap(({ comparisons }) => comparisons.map(({ field }) => field)));
  return [...compared].flatMap((field) => {
    const value = field === 'full_name' ? soundOf(nameWords(fields)) : comparable(fields[field]?.[0]);
    return value === undefined ? [] : [`${field} ${value}`];
  });
}

/**
 * Normalises a value for comparison; undefined for a placeholder. A phone number is reduced to its last nine digits,
 * because prefixes vary.
 */
export function comparable(value: string | undefined): string | undefined {
  const text = value?.normalize('NFC').trim().toLowerCase().replace(/\s+/g, ' ');
  if (!text || isPlaceholder(text)) return undefined;
  const digits = text.replace(/\D/g, '');
  const isPhone = digits.length >= 6 && /^[\d\s()+./-]+$/.test(text);
  return isPhone ? digits.slice(-9) : text.slice(0, 200);
}
