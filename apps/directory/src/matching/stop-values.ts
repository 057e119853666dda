import { comparedText, type MatchingKey } from '@idsync/contracts';
import { noLogins, noNames, noNumbers, placeholders, rolePrefixes, roles } from './stop-words.js';

/**
 * Returns true if a normalised value does not identify a person, and therefore is no match key of this kind. Undefined
 * is any other attribute.
 */
export function isStopValue(kind: MatchingKey | undefined, value: string): boolean {
  if (isPlaceholder(value)) return true;
  if (kind === undefined) return false;
  if (kind === 'employee_number') return noNumbers.has(compact(value)) || /^-\d/.test(value) || isRounded(value);
  if (/[\s\p{C}]/u.test(value)) return true;
  const [local = '', domain, ...others] = value.split('@');
  if (others.length > 0 || (domain === undefined ? kind === 'email' : !isDomain(domain))) return true;
  if (kind === 'email' && !/^[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~.-]+$/u.test(local)) return true;
  return isSharedLogin(local);
}

/**
 * Returns true for a value that stands for a missing one: a known word, a text without letters and digits, zeros, or
 * four or more nines. Other repeated digits can be the number of a person, such as 1111.
 */
export function isPlaceholder(value: string): boolean {
  const text = compact(value);
  if (placeholders.has(text) || /^0*$/.test(text)) return true;
  return /^9{4,}$/.test(text);
}

/** Returns true for a placeholder that is no first or last name of a person. Short ones, such as `Null`, can be. */
export function isNoName(value: string): boolean {
  const text = comparedText(value);
  if (noNames.has(compact(text)) || /^(n\.\s*n\.?|test)$/i.test(text)) return true;
  return isPlaceholder(text) && (!/^\p{L}+$/u.test(text) || text.length > 5);
}

/**
 * Returns true for a number that a spreadsheet has written with an exponent, such as `1,00E+05` for all of 100001 to
 * 100499.
 */
function isRounded(value: string): boolean {
  return /^\d([.,]\d+)?e\+\d+$/i.test(value.trim());
}

/** Takes a login, or the part of an address before the `@`. */
function isSharedLogin(local: string): boolean {
  const [name = ''] = local.slice(local.lastIndexOf('\\') + 1).split('+');
  const text = compact(name);
  if (text === '' || roles.has(text) || noLogins.has(text)) return true;
  return rolePrefixes.some((prefix) => text.startsWith(prefix));
}

function isDomain(domain: string): boolean {
  return domain.split('.').every((label) => /^[\p{L}\p{M}\p{N}_-]+$/u.test(label) && compact(label) !== '');
}

/** Returns the letters and digits of a value in lower case, so that `N/A`, `n.a.` and `#N/A` are equal. */
function compact(value: string): string {
  // Most values, for which the general way takes several times as long.
  if (/^[ -~]*$/.test(value)) return value.toLowerCase().replace(/[^a-z\d]+/g, '');
  return value
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]/gu, '');
}
