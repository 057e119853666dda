import { type KeyRules, keyValue } from './key-rules.js';
import { mailAddress } from './normalisers.js';
import { valuesOf } from './record-keys.js';

type Fields = Readonly<Record<string, readonly string[]>>;

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
