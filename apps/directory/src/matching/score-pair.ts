import type { WeakTier } from '@idsync/contracts';
import type { Fields } from '../shared/collections.js';
import { comparedValue, haveEmailInTwoNotations } from './fuzzy-values.js';
import { isKnownName, nameSimilarity, nameWords, wordSimilarity } from './names.js';
import type { KeyRules } from './record-keys.js';
import { spelledWords, spellingSimilarity } from './spellings.js';

/** `any` also compares names in Latin letters, with umlauts written out, and with their parts written as one word. */
export type Spelling = 'written' | 'any';

export interface How {
  spelling: Spelling;
  rules: KeyRules;
}

export interface Score {
  /** 0 to 1. */
  score: number;
  /** Fields that agree, as text for operators. */
  evidence: string[];
}

/** Minimum similarity of names that adds to the score. */
const leastSimilarity = 0.85;
/** Similarity of a name in another spelling: `Muller` and `Mueller` may be two names. */
const sameInAnotherSpelling = 0.99;

/** Adds up the weights of the comparisons of one tier in which two records agree. */
export function scorePair(a: Fields, b: Fields, tier: WeakTier, { spelling, rules }: How): Score {
  let score = 0;
  const evidence: string[] = [];
  for (const { field, match, weight } of tier.comparisons) {
    const agreement = field === 'full_name' ? compareNames(a, b, match, spelling) : compareValues(a, b, field, rules);
    if (agreement === 0) continue;
    score += weight * agreement;
    evidence.push(`${field} is ${described(field, agreement)}`);
  }
  return { score: Math.min(1, Math.round(score * 1_000) / 1_000), evidence };
}

function described(field: string, agreement: number): string {
  if (agreement === 1) return field === 'email' ? 'the same in another notation' : 'the same';
  return agreement === sameInAnotherSpelling
    ? 'the same in another spelling'
    : `${Math.round(agreement * 100)} % similar`;
}

function compareNames(a: Fields, b: Fields, match: 'exact' | 'fuzzy', spelling: Spelling): number {
  const asWritten = compareAsWritten(nameWords(a).filter(isKnownName), nameWords(b).filter(isKnownName), match);
  if (match === 'exact' || spelling === 'written' || asWritten === 1) return asWritten;
  return Math.max(asWritten, compareSpellings(a, b));
}

function compareAsWritten(a: readonly string[], b: readonly string[], match: 'exact' | 'fuzzy'): number {
  // A single word is not a full name.
  if (a.length < 2 || b.length < 2) return 0;
  if ([...a].sort().join(' ') === [...b].sort().join(' ')) return 1;
  if (match === 'exact') return 0;
  const similarity = nameSimilarity(a, b, wordSimilarity);
  return similarity < leastSimilarity ? 0 : similarity;
}

function compareSpellings(a: Fields, b: Fields): number {
  const [left, right] = [spelledWords(a), spelledWords(b)];
  if (left.length < 2 || right.length < 2) return 0;
  const similarity = spellingSimilarity(left, right);
  return similarity < leastSimilarity ? 0 : Math.min(similarity, sameInAnotherSpelling);
}

function compareValues(a: Fields, b: Fields, field: string, rules: KeyRules): number {
  if (field === 'email') return haveEmailInTwoNotations(a, b, rules) ? 1 : 0;
  const [left, right] = [comparedValue(a, field, rules), comparedValue(b, field, rules)];
  return left !== undefined && left === right ? 1 : 0;
}
