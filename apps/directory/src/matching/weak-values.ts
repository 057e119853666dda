import type { MatchingRules } from '@idsync/contracts';
import { nameWords, soundOf } from './names.js';

type Fields = Readonly<Record<string, readonly string[]>>;

/** The values by which a record can be found when somebody similar is looked for, by what the rules compare. */
export function weakValues(fields: Fields, rules: MatchingRules): string[] {
  const compared = new Set(rules.weak.flatMap(({ comparisons }) => comparisons.map(({ field }) => field)));
  return [...compared].flatMap((field) => {
    const value = field === 'full_name' ? soundOf(nameWords(fields)) : comparable(fields[field]?.[0]);
    return value === undefined ? [] : [`${field} ${value}`];
  });
}

/** A value as it is compared: a phone by its last nine digits, since prefixes are written in many ways. */
export function comparable(value: string | undefined): string | undefined {
  const text = value?.normalize('NFC').trim().toLowerCase().replace(/\s+/g, ' ');
  if (!text) return undefined;
  const digits = text.replace(/\D/g, '');
  const isPhone = digits.length >= 6 && /^[\d\s()+./-]+$/.test(text);
  return isPhone ? digits.slice(-9) : text.slice(0, 200);
}
