import { comparedText } from '@idsync/contracts';
import anyAscii from 'any-ascii';
import { doubleMetaphone } from 'double-metaphone';
import type { Fields } from '../shared/collections.js';
import { fullName, isKnownName, nameSimilarity, splitWords, wordSimilarity } from './names.js';

/** A word in Latin letters: without accents (`jurgen`), and with its umlauts written out (`juergen`). */
type Spelled = readonly [plain: string, writtenOut: string];

/** Letters that languages write out in two ways: `Jürgen` is `Jurgen` or `Juergen`, `Åse` is `Ase` or `Aase`. */
const writtenOut: Readonly<Record<string, string>> = { ä: 'ae', ö: 'oe', ü: 'ue', å: 'aa', ø: 'oe' };

/** Two words have at most four keys, unless both have a `w`; the bound is for names made to have many. */
const mostKeys = 16;

/** `GREENFIELD Alice Mary (EXT)` */
const mostWordsInAnyOrder = 4;

/** Letters of a part of a surname such as `O'`, `Mc`, `de` or `van`. */
const longestParticle = 3;

/** Transliterated words can be several times as long. */
const longestWord = 60;

/** Returns the words of a record's name in Latin letters. */
export function spelledWords(fields: Fields): Spelled[] {
  return knownWords(fullName(fields)).map((word) => {
    return [latin(word), latin(word.replace(/[äöüåø]/g, (letter) => writtenOut[letter] ?? letter))];
  });
}

function knownWords(name: string): string[] {
  return splitWords(comparedText(name)).filter(isKnownName);
}

function latin(word: string): string {
  if (/^[a-z\d]+$/.test(word)) return word;
  const letters = anyAscii(word)
    .toLowerCase()
    .replace(/[^a-z\d]/g, '')
    .slice(0, longestWord);
  // Scripts that cannot be transliterated are compared as they are.
  return letters === '' ? word : letters;
}

/**
 * Returns the similarity of two names in any script and spelling, from 0 to 1. Parts that one of them writes as one
 * word are one word: `O'Neill` is `ONeill`.
 */
export function spellingSimilarity(a: readonly Spelled[], b: readonly Spelled[]): number {
  const left = joinParts(a, b);
  return nameSimilarity(left, joinParts(b, left), spelledSimilarity);
}

function spelledSimilarity(a: Spelled, b: Spelled): number {
  return Math.max(...a.flatMap((one) => b.map((other) => wordSimilarity(one, other))));
}

/** Joins adjacent words of a name that the other name writes as one word. */
function joinParts(words: readonly Spelled[], other: readonly Spelled[]): Spelled[] {
  const joined: Spelled[] = [];
  for (const word of words) {
    const last = joined.at(-1);
    const whole: Spelled | undefined = last && [last[0] + word[0], last[1] + word[1]];
    if (whole && other.some((one) => one.some((spelling) => whole.includes(spelling)))) joined.splice(-1, 1, whole);
    else joined.push(word);
  }
  return joined;
}

/**
 * Returns the lookup keys of a record's name: the sounds of its first and its last word. Names that are similar share
 * at least one. Middle names do not count, except where they may be a part of the first or last name. The words of a
 * display name have any order, and remarks beside them: each two of the first words may be the first and last name.
 */
export function soundsOf(fields: Fields): string[] {
  const name = fullName(fields);
  const keys = soundsInOrder(plainWords(name));
  // `Lee, Ann Marie`
  const [surname, given, ...more] = name.includes(',') ? name.split(',') : [];
  if (surname !== undefined && given !== undefined && more.length === 0)
    for (const key of soundsInOrder(plainWords(`${given} ${surname}`))) keys.add(key);
  if (!fields.first_name || !fields.last_name) {
    const words = plainWords(name).slice(0, mostWordsInAnyOrder);
    for (const [at, word] of words.entries()) {
      for (const other of words.slice(at + 1)) for (const key of soundsInOrder([word, other])) keys.add(key);
    }
  }
  return [...keys].sort().slice(0, mostKeys);
}

function plainWords(name: string): string[] {
  return knownWords(name).map(latin);
}

function soundsInOrder(plain: readonly string[]): Set<string> {
  // A single word is not a full name.
  if (plain.length < 2) return new Set();
  const firsts = [...plain.slice(0, 1), ...(plain.length > 2 ? [plain.slice(0, 2).join('')] : [])];
  const hasParticle = plain.length > 2 && (plain.at(-2)?.length ?? 0) <= longestParticle;
  const lasts = [...plain.slice(-1), ...(hasParticle ? [plain.slice(-2).join('')] : [])];
  const keys = new Set<string>();
  const lastSounds = lasts.flatMap(wordSounds);
  for (const first of firsts.flatMap(wordSounds)) {
    for (const last of lastSounds) {
      if (first === last) keys.add(first);
      else keys.add(first < last ? `${first} ${last}` : `${last} ${first}`);
    }
  }
  return keys;
}

/** Codes of the last words, because most records of an import have a name that another one has too. */
const knownSounds = new Map<string, readonly string[]>();
const mostKnownSounds = 20_000;

/** Returns both codes of a word, which stand for its pronunciation in English and in its own language. */
function wordSounds(word: string): readonly string[] {
  const known = knownSounds.get(word);
  if (known) return known;
  const sounds = computeSounds(word);
  if (knownSounds.size >= mostKnownSounds) knownSounds.clear();
  knownSounds.set(word, sounds);
  return sounds;
}

function computeSounds(word: string): string[] {
  // Double Metaphone drops the `w` of Nowak, which is the `v` of Novak.
  const words = word.includes('w', 1) ? [word, word.charAt(0) + word.slice(1).replace(/w/g, 'v')] : [word];
  const codes = words.flatMap((each) => doubleMetaphone(each));
  return [...new Set(codes.map((code) => code || word))];
}
