import { comparedText, essentialWords, generations } from '@idsync/contracts';
import type { Fields } from '../shared/collections.js';
import { isNoName, isPlaceholder } from './stop-values.js';
import { noNames } from './stop-words.js';

/** Stands for a first name that the source does not know, and neither agrees nor disagrees with another one. */
const unknownName = 'fnu';

/** Words of a name that are compared. */
const mostWords = 8;
/** Letters of a word that are compared, because the time of a comparison grows with their product. */
const longestWord = 60;

/**
 * Returns the name of a record: first and last name, else the display name. Placeholders are no name.
 */
export function fullName(fields: Fields): string {
  const known = fullNames.get(fields);
  if (known !== undefined) return known;
  const name = computeFullName(fields);
  fullNames.set(fields, name);
  return name;
}

/** A batch asks twice for the name of a record, whose fields never change in place. */
const fullNames = new WeakMap<Fields, string>();

function computeFullName(fields: Fields): string {
  const [first, last] = [fields.first_name?.[0], fields.last_name?.[0]];
  const parts = [first, last].filter((part) => part && !isNoName(part));
  const only = first && last && parts[0] === last ? `${unknownName} ${last}` : parts[0];
  const name = parts.length === 2 ? parts.join(' ') : (fields.display_name?.[0] ?? only ?? '');
  return name.split(/\s+/).every((word) => isPlaceholder(word) || isNoName(word)) ? '' : name;
}

/** Returns true for a word that is known to be part of a name. */
export function isKnownName(word: string): boolean {
  return !noNames.has(word);
}

/** Returns the words of a name in lower case without accents. */
export function nameWords(fields: Fields): string[] {
  const name = fullName(fields);
  return splitWords(/^[ -~]*$/.test(name) ? name : comparedText(name).normalize('NFKD').replace(/\p{M}/gu, ''));
}

/** Returns the words of a text in lower case; the accents of composed letters stay. */
export function splitWords(text: string): string[] {
  const lower = text.toLowerCase();
  // The general pattern takes several times as long.
  return (/^[ -~]*$/.test(lower) ? lower.split(/[^a-z\d]+/) : lower.split(/[^\p{L}\p{M}\p{N}]+/u))
    .filter((word) => word !== '')
    .slice(0, mostWords)
    .map((word) => word.slice(0, longestWord));
}

/** Returns the similarity of two names from 0 to 1, independent of the order of their words. */
export function nameSimilarity<Word>(
  a: readonly Word[],
  b: readonly Word[],
  similarity: (word: Word, other: Word) => number,
): number {
  const [shorter, longer] = a.length <= b.length ? [a, b] : [b, a];
  if (shorter.length === 0) return 0;
  const free = [...longer];
  let sum = 0;
  for (const word of shorter) {
    const scores = free.map((other) => similarity(word, other));
    const best = scores.indexOf(Math.max(...scores));
    sum += scores[best] ?? 0;
    free.splice(best, 1);
  }
  // An additional middle name reduces the similarity slightly.
  return (sum / shorter.length) * 0.97 ** (longer.length - shorter.length);
}

/** Minimum similarity of two words that may be one name in two spellings. */
const leastSharedWord = 0.85;

/**
 * Returns true if two full names have no word in common, which neither a nickname nor a changed surname causes. Titles
 * and particles do not count, and an initial only with a word that begins with it. Names in different scripts cannot be
 * compared, and a single word is not a full name.
 */
export function namesDisagree(a: readonly string[], b: readonly string[]): boolean {
  const [name, other] = [essentialWords(a), essentialWords(b)];
  if (name.length < 2 || other.length < 2 || isLatin(name) !== isLatin(other)) return false;
  if (name.join(' ') === other.join(' ')) return false;
  return !name.some((word) => other.some((each) => areOneWord(word, each)));
}

/**
 * Returns true if two full names have the last words in common and no other, as those of relatives do, or differ in
 * `junior` and `senior`. A marriage changes the last word instead.
 */
export function shareOnlySurname(a: readonly string[], b: readonly string[]): boolean {
  const [name, other] = [essentialWords(a), essentialWords(b)];
  const shared = commonEnd(name, other);
  if (shared === 0) return false;
  const [given, others] = [name.slice(0, -shared), other.slice(0, -shared)].map((words) => words.filter(isKnownName));
  if (!given?.length && !others?.length) return differInGeneration(a, b);
  if (!given?.length || !others?.length) return false;
  return !given.some((word) => others.some((each) => areOneWord(word, each)));
}

/** Returns true if two names have a word in common, and not only the last ones. */
export function shareName(a: readonly string[], b: readonly string[]): boolean {
  const [name, other] = [essentialWords(a), essentialWords(b)];
  return name.some((word) => other.some((each) => areOneWord(word, each))) && !shareOnlySurname(a, b);
}

/** Returns true if two full names have all words of the shorter one in common, in any order. */
export function isSameName(a: readonly string[], b: readonly string[]): boolean {
  const [shorter = [], longer = []] = [essentialWords(a), essentialWords(b)].sort(
    (one, other) => one.length - other.length,
  );
  return shorter.length >= 2 && shorter.every((word) => longer.some((each) => areOneWord(word, each)));
}

/** Returns how many of the last words are the same. */
function commonEnd(a: readonly string[], b: readonly string[]): number {
  let shared = 0;
  const most = Math.min(a.length, b.length);
  while (shared < most && areOneWord(a.at(-1 - shared) ?? '', b.at(-1 - shared) ?? '')) shared += 1;
  return shared;
}

/** Short words are similar by chance, two initials are equal by chance, and digits distinguish: Test1 is not Test2. */
function areOneWord(word: string, other: string): boolean {
  if (!isKnownName(word) || !isKnownName(other)) return false;
  if (word.length === 1 && other.length === 1) return false;
  if (word.length === 1 || other.length === 1) return word.startsWith(other) || other.startsWith(word);
  if (word.length < 3 || other.length < 3 || hasDigit(word) || hasDigit(other)) return word === other;
  return wordSimilarity(word, other) >= leastSharedWord;
}

function hasDigit(word: string): boolean {
  return /\d/.test(word);
}

function differInGeneration(a: readonly string[], b: readonly string[]): boolean {
  const [mine, theirs] = [a, b].map((words) => words.filter((word) => generations.has(word)).map(rankOf));
  return mine?.[0] !== undefined && theirs?.[0] !== undefined && mine[0] !== theirs[0];
}

/** `jr`, `jun` and `junior` are one generation, as are `sr`, `sen` and `senior`. */
function rankOf(generation: string): string {
  return /^[js]/.test(generation) ? generation.charAt(0) : generation;
}

function isLatin(words: readonly string[]): boolean {
  return words.some((word) => /\p{Script=Latin}/u.test(word));
}

/** Jaro-Winkler similarity, which weights the first letters because they are seldom wrong in names. */
export function wordSimilarity(a: string, b: string): number {
  if (a === b) return 1;
  const reach = Math.max(Math.floor(Math.max(a.length, b.length) / 2) - 1, 0);
  const taken = new Set<number>();
  const matchedA: string[] = [];
  for (let at = 0; at < a.length; at += 1) {
    for (let other = Math.max(0, at - reach); other <= Math.min(b.length - 1, at + reach); other += 1) {
      if (taken.has(other) || a[at] !== b[other]) continue;
      taken.add(other);
      matchedA.push(a.charAt(at));
      break;
    }
  }
  const m = matchedA.length;
  if (m === 0) return 0;
  const matchedB = [...taken].sort((x, y) => x - y).map((at) => b.charAt(at));
  const moved = matchedA.filter((letter, at) => letter !== matchedB[at]).length / 2;
  const jaro = (m / a.length + m / b.length + (m - moved) / m) / 3;
  let prefix = 0;
  while (prefix < 4 && prefix < a.length && a[prefix] === b[prefix]) prefix += 1;
  return jaro + prefix * 0.1 * (1 - jaro);
}
