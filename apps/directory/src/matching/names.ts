import { isNoName, isPlaceholder } from './stop-values.js';

type Fields = Readonly<Record<string, readonly string[]>>;

/**
 * Returns the words of a name in lower case without accents: first and last name, else the display name. Placeholders
 * are no name.
 */
export function nameWords(fields: Fields): string[] {
  const parts = [fields.first_name?.[0], fields.last_name?.[0]].filter((part) => part && !isNoName(part));
  const name = parts.length === 2 ? parts.join(' ') : (fields.display_name?.[0] ?? parts[0] ?? '');
  if (name.split(/\s+/).every(isPlaceholder)) return [];
  return name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
    .slice(0, 8);
}

/** Returns the similarity of two names from 0 to 1, independent of the order of their words. */
export function nameSimilarity(a: readonly string[], b: readonly string[]): number {
  const [shorter, longer] = a.length <= b.length ? [a, b] : [b, a];
  if (shorter.length === 0) return 0;
  const free = [...longer];
  let sum = 0;
  for (const word of shorter) {
    const scores = free.map((other) => wordSimilarity(word, other));
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
 * Returns true if two full names have no word in common, which neither a nickname nor a changed surname causes. Names in
 * different scripts cannot be compared, and a single word is not a full name.
 */
export function namesDisagree(a: readonly string[], b: readonly string[]): boolean {
  if (a.length < 2 || b.length < 2 || isLatin(a) !== isLatin(b)) return false;
  return !a.some((word) => b.some((other) => wordSimilarity(word, other) >= leastSharedWord));
}

/**
 * Returns true if two full names have the last word in common and no other, as those of relatives do. A marriage changes
 * the last word instead.
 */
export function shareOnlySurname(a: readonly string[], b: readonly string[]): boolean {
  const [surname, other] = [a.at(-1), b.at(-1)];
  if (a.length < 2 || b.length < 2 || surname === undefined || other === undefined) return false;
  if (wordSimilarity(surname, other) < leastSharedWord) return false;
  const given = b.slice(0, -1);
  return !a.slice(0, -1).some((word) => given.some((name) => wordSimilarity(word, name) >= leastSharedWord));
}

function isLatin(words: readonly string[]): boolean {
  return words.some((word) => /\p{Script=Latin}/u.test(word));
}

/** Jaro-Winkler similarity, which weights the first letters because they are seldom wrong in names. */
function wordSimilarity(a: string, b: string): number {
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

const soundsLike: readonly (readonly [RegExp, string])[] = [
  [/ph/g, 'f'],
  [/[cs]ch|sh/g, 's'],
  [/ck|q/g, 'k'],
  [/c(?=[eiy])/g, 's'],
  [/c/g, 'k'],
  [/[zx]/g, 's'],
  [/[vw]/g, 'f'],
  [/d/g, 't'],
  [/b/g, 'p'],
];

/**
 * Returns the lookup key of a name: the sounds of its first and last word, sorted. Names with similar sounds share it.
 */
export function soundOf(words: readonly string[]): string | undefined {
  const [first] = words;
  const last = words.at(-1);
  if (first === undefined || last === undefined) return undefined;
  return [...new Set([first, last].map(wordSound))].sort().join(' ');
}

function wordSound(word: string): string {
  const plain = soundsLike.reduce((text, [pattern, letters]) => text.replace(pattern, letters), word);
  const skeleton = plain.charAt(0) + plain.slice(1).replace(/[aeiouyh]/g, '');
  return skeleton.replace(/(.)\1+/g, '$1').slice(0, 12);
}
