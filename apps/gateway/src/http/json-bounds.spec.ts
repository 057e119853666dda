import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { exceededBound, type JsonBounds } from './json-bounds.js';

const bytes = (value: unknown) => Buffer.from(JSON.stringify(value));
const none: JsonBounds = { depth: 1_000, values: 1_000_000, names: 1_000_000 };
const exceeds = (value: unknown, most: Partial<JsonBounds>) => exceededBound(bytes(value), { ...none, ...most });

const partsOf = (value: unknown): unknown[] =>
  typeof value === 'object' && value !== null ? Object.values(value) : [];
const depthOf = (value: unknown): number =>
  typeof value === 'object' && value !== null ? 1 + Math.max(0, ...partsOf(value).map(depthOf)) : 0;
const namesOf = (value: unknown): number =>
  (typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.keys(value).length : 0) +
  partsOf(value).reduce<number>((sum, part) => sum + namesOf(part), 0);
/** Counts the elements of containers; an empty container counts as one value. */
const valuesOf = (value: unknown): number =>
  typeof value === 'object' && value !== null
    ? Math.max(1, partsOf(value).length) + partsOf(value).reduce<number>((sum, part) => sum + valuesOf(part), 0)
    : 0;

describe('bounds of JSON', () => {
  it('count depth, values and names, regardless of the contents of strings', () => {
    const texts = fc.stringMatching(/^[[\]{}"\\:,a]*$/);
    const { json } = fc.letrec((tie) => ({
      json: fc.oneof({ maxDepth: 6 }, texts, fc.array(tie('json')), fc.dictionary(texts, tie('json'))),
    }));
    fc.assert(
      fc.property(json, fc.nat(12), (value, most) => {
        expect(exceeds(value, { depth: most }) === 'depth').toBe(depthOf(value) > most);
        expect(exceeds(value, { names: most }) === 'names').toBe(namesOf(value) > most);
        expect(exceeds(value, { values: most }) === 'values').toBe(valuesOf(value) > most);
      }),
    );
  });

  it('do not count names that every member of a group repeats', () => {
    const members = Array.from({ length: 100 }, () => ({ value: 'a', $ref: 'b', display: 'c', type: 'User' }));
    expect(exceeds({ members }, { names: 1 })).toBeUndefined();
    expect(exceeds({ members: [...members, { VALUE: 1 }] }, { names: 1 })).toBe('names');
  });

  it('accept text that is not JSON, which the parser rejects', () => {
    for (const text of ['', '"', '"\\', ']]]', '[[[', '{"a":[', ':::'])
      expect(exceededBound(Buffer.from(text), none)).toBeUndefined();
  });
});
