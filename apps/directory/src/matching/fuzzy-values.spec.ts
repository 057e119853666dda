import { defaultMatchingRules } from '@idsync/contracts';
import { describe, expect, it } from '@jest/globals';
import { fuzzyValues } from './fuzzy-values.js';
import { comparable } from './normalisers.js';

describe('a value for comparison', () => {
  it.each([
    ['  Ada   LOVELACE ', 'ada lovelace'],
    ['+49 (30) 123-456', '930123456'],
    ['123 456', '123456'],
    ['12345', '12345'],
    ['room 123456', 'room 123456'],
    ['a-', 'a-'],
    ['123456 ext', '123456 ext'],
  ])('of %j is %j', (value, expected) => {
    expect(comparable(value)).toBe(expected);
  });

  it.each([undefined, '', '   ', 'N/A', 'unknown'])('is absent for %j', (value) => {
    expect(comparable(value)).toBeUndefined();
  });

  it('has at most 200 characters', () => {
    expect(comparable('ab'.repeat(150))).toBe('ab'.repeat(100));
  });
});

describe('the values by which similar records are found', () => {
  it('are the sound of the name and the compared fields', () => {
    const fields = { first_name: ['Anna'], last_name: ['Lee'], phone: ['+49 30 123456'], title: ['Boss'] };
    expect(fuzzyValues(fields, defaultMatchingRules)).toContain('full_name AN L');
    expect(fuzzyValues(fields, { ...defaultMatchingRules, weak: [] })).toEqual([]);
  });

  it('are without stop values of the tenant, in any notation', () => {
    const fields = { 'attributes.phone': ['+47 22 00 11 22'] };
    expect(fuzzyValues(fields, defaultMatchingRules)).toEqual(['attributes.phone 722001122']);
    const stop_values = [{ field: 'attributes.phone' as const, values: ['0047 22001122'] }];
    expect(fuzzyValues(fields, { ...defaultMatchingRules, stop_values })).toEqual([]);
  });
});
