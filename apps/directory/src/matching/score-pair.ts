import type { WeakTier } from '@idsync/contracts';
import { nameSimilarity, nameWords } from './names.js';
import { comparable } from './weak-values.js';

type Fields = Readonly<Record<string, readonly string[]>>;

export interface Score {
  /** 0 to 1. */
  score: number;
  /** Fields that agree, as text for operators. */
  evidence: string[];
}

/** Minimum similarity of names that adds to the score. */
const leastSimilarity = 0.85;

/** Adds up the weights of the comparisons of one tier in which two records agree. */
export function scorePair(a: Fields, b: Fields, tier: WeakTier): Score {
  let score = 0;
  const evidence: string[] = [];
  for (const { field, match, weight } of tier.comparisons) {
    const agreement = field === 'full_name' ? compareNames(a, b, match) : compareValues(a, b, field);
    if (agreement === 0) continue;
    score += weight * agreement;
    evidence.push(agreement === 1 ? `${field} is the same` : `${field} is ${Math.round(agreement * 100)} % similar`);
  }
  return { score: Math.min(1, Math.round(score * 1_000) / 1_000), evidence };
}

function compareNames(a: Fields, b: Fields, match: 'exact' | 'fuzzy'): number {
  const [left, right] = [nameWords(a), nameWords(b)];
  // A single word is not a full name.
  if (left.length < 2 || right.length < 2) return 0;
  if ([...left].sort().join(' ') === [...right].sort().join(' ')) return 1;
  if (match === 'exact') return 0;
  const similarity = nameSimilarity(left, right);
  return similarity < leastSimilarity ? 0 : similarity;
}

function compareValues(a: Fields, b: Fields, field: string): number {
  const [left, right] = [comparable(a[field]?.[0]), comparable(b[field]?.[0])];
  return left !== undefined && left === right ? 1 : 0;
}
