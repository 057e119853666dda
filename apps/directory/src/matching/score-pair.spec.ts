import { defaultMatchingRules, type WeakTier } from '@idsync/contracts';
import { describe, expect, it } from '@jest/globals';
import { type Spelling, scorePair as score } from './score-pair.js';

const phone = { field: 'attributes.phone', match: 'exact', weight: 0.6 } as const;
const scorePair = (
  a: Parameters<typeof score>[0],
  b: Parameters<typeof score>[1],
  by: WeakTier,
  spelling: Spelling = 'written',
) => score(a, b, by, { spelling, rules: defaultMatchingRules });
const tier = (...comparisons: WeakTier['comparisons']): WeakTier => ({
  name: 'a tier',
  comparisons,
  propose_at: 0.6,
  when_unique: 'propose',
});
const named = (display_name: string, more: Record<string, string[]> = {}) => ({
  display_name: [display_name],
  ...more,
});
const fuzzyName = tier({ field: 'full_name', match: 'fuzzy', weight: 1 });
const exactName = tier({ field: 'full_name', match: 'exact', weight: 1 });

describe('the score of two records', () => {
  it.each([
    ['Ann Lee', 'ANN LEE', 1, ['full_name is the same']],
    ['Ann Lee', 'Lee, Ann', 1, ['full_name is the same']],
    ['Lee, Ann', 'Ann Lee', 1, ['full_name is the same']],
    ['Ann Lee', 'Ann Marie Lee', 0.97, ['full_name is 97 % similar']],
    ['Katrin Meier', 'Kathrin Meyer', 0.93, ['full_name is 93 % similar']],
    ['Anna Schmidt', 'Hans Schmidt', 0, []],
    ['Ann', 'Ann', 0, []],
    ['Ann', 'Ann Lee', 0, []],
  ])('by a fuzzy name for "%s" and "%s" is %d', (a, b, score, evidence) => {
    expect(scorePair(named(a), named(b), fuzzyName)).toEqual({ score, evidence });
  });

  it('counts a name only from a similarity of 85 %', () => {
    // Six additional names leave 83 %, five leave 86 %.
    expect(scorePair(named('Ann Lee'), named('Ann B C D E Lee Fox'), fuzzyName).score).toBeCloseTo(0.97 ** 5, 3);
    expect(scorePair(named('Ann Lee'), named('Ann B C D E F Lee Fox'), fuzzyName).score).toBe(0);
  });

  it('by an exact name is 1 or 0', () => {
    expect(scorePair(named('Ann Lee'), named('Lee Ann'), exactName).score).toBe(1);
    expect(scorePair(named('Lee Ann'), named('Ann Lee'), exactName).score).toBe(1);
    expect(scorePair(named('Ann Lee'), named('Ann Marie Lee'), exactName)).toEqual({ score: 0, evidence: [] });
  });

  it('adds up the weights of the fields that agree, at most 1', () => {
    const both = tier({ field: 'full_name', match: 'fuzzy', weight: 0.65 }, phone);
    const [a, b] = [named('Ann Lee', { 'attributes.phone': ['1234567'] }), named('Ann Lee')];
    expect(scorePair(a, b, both)).toEqual({ score: 0.65, evidence: ['full_name is the same'] });
    expect(scorePair(a, named('Bob Fox', { 'attributes.phone': ['1234567'] }), both)).toEqual({
      score: 0.6,
      evidence: ['attributes.phone is the same'],
    });
    expect(scorePair(a, a, both)).toEqual({
      score: 1,
      evidence: ['full_name is the same', 'attributes.phone is the same'],
    });
  });

  it.each([
    ['+49 (171) 123-4567', '0171 1234567', 0.6],
    ['0171 1234567', '0171 1234568', 0],
    ['Room  7 ', 'room 7', 0.6],
    ['', '', 0],
  ])('compares the values "%s" and "%s" without case, spaces and prefixes: %d', (a, b, score) => {
    expect(scorePair({ 'attributes.phone': [a] }, { 'attributes.phone': [b] }, tier(phone)).score).toBe(score);
  });

  it('does not count a field that is missing in both records', () => {
    expect(scorePair({}, {}, tier(phone))).toEqual({ score: 0, evidence: [] });
  });

  it('of a similar name reaches the default rules only with a very similar name or the same phone', () => {
    const [, second] = defaultMatchingRules.weak;
    const scoreOf = (a: string, b: string) => scorePair(named(a), named(b), second as WeakTier).score;
    expect(scoreOf('Katrin Meier', 'Kathrin Meyer')).toBeGreaterThanOrEqual(0.6);
    expect(scoreOf('Dwayne Jones', 'Duane Jones')).toBeLessThan(0.6);
  });

  it.each([
    ['Jürgen Groß', 'Juergen Gross'],
    ["Anne-Marie O'Neill", 'Anne Marie ONeill'],
    ['Иван Петров', 'Ivan Petrov'],
  ])('of "%s" and "%s" is 0.99 in any spelling, and lower as written', (a, b) => {
    const another = ['full_name is the same in another spelling'];
    for (const [one, other] of [
      [a, b],
      [b, a],
    ] as const) {
      expect(scorePair(named(one), named(other), fuzzyName, 'any')).toEqual({ score: 0.99, evidence: another });
      expect(scorePair(named(one), named(other), fuzzyName).score).toBeLessThan(0.99);
      expect(scorePair(named(one), named(other), exactName, 'any').score).toBe(0);
    }
  });

  it('of a name as it is written is the same in any spelling, and a similar spelling counts as a similar name', () => {
    expect(scorePair(named('Ann Lee'), named('Lee, Ann'), fuzzyName, 'any').score).toBe(1);
    expect(scorePair(named('Katrin Meier'), named('Kathrin Meyer'), fuzzyName, 'any').score).toBe(0.93);
    expect(scorePair(named('Иван Петров'), named('Ivan Petrow'), fuzzyName, 'any')).toEqual({
      score: 0.967,
      evidence: ['full_name is 97 % similar'],
    });
    expect(scorePair(named('Иван Петров'), named('Ute Lang'), fuzzyName, 'any').score).toBe(0);
  });

  it('of a single word is 0, also where it is two in another spelling', () => {
    expect(scorePair(named('Ümit'), named('Uemit'), fuzzyName, 'any').score).toBe(0);
    expect(scorePair(named('Ümit'), named('Uemit Kaya'), fuzzyName, 'any').score).toBe(0);
  });
});
