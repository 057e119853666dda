import { foldText, foldWords, type TermKind, termKinds } from '../../directory/search-terms.js';

/** Ranges of terms that a text matches. */
export interface TextRanges {
  low: string[];
  high: string[];
  /** The word of the text by which a range finds names, whose terms must also match all patterns; null for values. */
  word: (number | null)[];
  /** For each word of the text, the beginnings of words of which a name must contain one. */
  words: string[][];
}

const maxWords = 5;
/** Shorter words have no typos: too many other words are similar. */
const minTypoLength = 4;
const maxTypoLength = 20;
/** Follows every text with the same beginning in the "C" collation. */
const end = '\u{10ffff}';

/** A beginning of a term, and the end of its range. */
export interface Beginning {
  text: string;
  /** Matches the whole word only. */
  isWhole: boolean;
}

/**
 * Returns the ranges of a text: names in which every word of the text begins a word, and addresses, numbers and logins
 * that begin with the text. `spellings` are the known words that may be meant by each word.
 */
export function textRanges(text: string, spellings: readonly (readonly Beginning[])[] = asTyped(text)): TextRanges {
  const ranges: TextRanges = { low: [], high: [], word: [], words: spellings.map((each) => each.map(wordOf)) };
  const add = (low: string, word: number | null) => {
    ranges.low.push(low);
    ranges.high.push(`${low}${end}`);
    ranges.word.push(word);
  };
  const folded = foldText(text);
  for (const kind of Object.keys(termKinds) as TermKind[]) add(`${termKinds[kind]}:${folded}`, null);
  for (const [nth, beginnings] of spellings.entries()) {
    for (const beginning of beginnings) add(`w:${wordOf(beginning)}`, nth);
  }
  return ranges;
}

/** Returns the words of a text, each as the beginning of a word. */
export function asTyped(text: string): Beginning[][] {
  return foldWords(text)
    .slice(0, maxWords)
    .map((word) => [{ text: word, isWhole: false }]);
}

function wordOf({ text, isWhole }: Beginning): string {
  return isWhole ? `${text} ` : text;
}

const alphabets: readonly (readonly [RegExp, string])[] = [
  [/^[a-z0-9]+$/, 'abcdefghijklmnopqrstuvwxyz0123456789'],
  [/^\p{Script=Cyrillic}+$/u, 'абвгдежзийклмнопрстуфхцчшщъыьэюяіїєґ'],
  [/^\p{Script=Greek}+$/u, 'αβγδεζηθικλμνξοπρστυφχψωσς'],
];

/**
 * Returns the word and all words with one typo: a wrong, missing, additional or two swapped letters. Without its
 * additional letter, a word matches as a whole, because shorter beginnings match too many words.
 */
export function typosOf(word: string): Beginning[] {
  const own = { text: word, isWhole: false };
  const characters = [...word];
  if (characters.length < minTypoLength || characters.length > maxTypoLength) return [own];
  const alphabet = alphabets.find(([fits]) => fits.test(word))?.[1] ?? '';
  const found = new Set<string>();
  const whole = new Set<string>();
  for (let at = 0; at <= characters.length; at += 1) {
    const [before, after] = [characters.slice(0, at).join(''), characters.slice(at)];
    const [next = '', following = '', ...rest] = after;
    for (const letter of alphabet) {
      found.add(`${before}${letter}${after.join('')}`);
      if (next) found.add(`${before}${letter}${following}${rest.join('')}`);
    }
    if (following) found.add(`${before}${following}${next}${rest.join('')}`);
    if (next) whole.add(`${before}${following}${rest.join('')}`);
  }
  found.delete(word);
  return [
    own,
    ...[...found].map((text) => ({ text, isWhole: false })),
    ...[...whole].map((text) => ({ text, isWhole: true })),
  ];
}
