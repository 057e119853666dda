import { comparedText } from '@idsync/contracts';

type Fields = Readonly<Record<string, readonly string[]>>;

/** Kinds of terms: the prefix keeps an email address and an equal user principal name apart. */
export const termKinds = {
  email: 'e',
  employee_number: 'n',
  user_principal_name: 'u',
  identifier: 'i',
} as const;
export type TermKind = keyof typeof termKinds;

export const longestValue = 256;
const longestWord = 40;
const maxWords = 6;

const letters: Readonly<Record<string, string>> = {
  ß: 'ss',
  ø: 'o',
  æ: 'ae',
  œ: 'oe',
  ł: 'l',
  đ: 'd',
  þ: 'th',
  ı: 'i',
};

/** Folds a text for comparison: lower case, without accents, with single spaces. */
export function foldText(text: string): string {
  // Most values, for which the general way takes several times as long.
  if (/^[!-~]*$/.test(text)) return text.toLowerCase();
  return comparedText(text)
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[ßøæœłđþı]/gu, (letter) => letters[letter] ?? letter)
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
}

/** Returns the folded words of a name. */
export function foldWords(text: string): string[] {
  if (/^[A-Za-z\d]+$/.test(text)) return [firstCharacters(text.toLowerCase(), longestWord)];
  const folded = /^[ -~]*$/.test(text) ? text.toLowerCase() : foldText(text);
  return folded
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
    .map((word) => firstCharacters(word, longestWord));
}

export function firstCharacters(text: string, count: number): string {
  return text.length <= count ? text : [...text].slice(0, count).join('');
}

/** Returns the term of a value; undefined if nothing of it remains. */
export function valueTerm(kind: TermKind, value: string): string | undefined {
  const folded = firstCharacters(foldText(value), longestValue);
  return folded === '' ? undefined : `${termKinds[kind]}:${folded}`;
}

/**
 * Returns the terms by which a record is found: its addresses, numbers and logins, and each word of its names followed
 * by the others, so that every word begins a term and one term contains the whole name. Each word ends with a space.
 */
export function searchTermsOf(fields: Fields): readonly string[] {
  const terms: string[] = [];
  for (const kind of kinds) {
    const value = fields[kind]?.[0];
    const term = value === undefined ? undefined : valueTerm(kind, value);
    if (term !== undefined) terms.push(term);
  }
  // Most parts of a name are one word, which is folded in less time than the whole name.
  const full = [...foldWords(fields.first_name?.[0] ?? ''), ...foldWords(fields.last_name?.[0] ?? '')];
  addRotations(terms, full.slice(0, maxWords));
  const displayName = fields.display_name?.[0];
  if (displayName === undefined) return terms;
  addRotations(terms, foldWords(displayName).slice(0, maxWords));
  return [...new Set(terms)];
}

const kinds = Object.keys(termKinds) as TermKind[];

/** "ann marie lee" is found as "ann lee marie", "lee ann marie" and "marie ann lee", whatever the order of its words. */
function addRotations(terms: string[], words: readonly string[]): void {
  const sorted = [...new Set(words)].sort();
  for (const word of sorted) {
    let term = `w:${word} `;
    for (const other of sorted) if (other !== word) term += `${other} `;
    terms.push(term);
  }
}
