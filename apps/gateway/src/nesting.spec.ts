import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isNestedDeeper } from './nesting.js';

const depthOf = (value: unknown): number =>
  typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0;

describe('the nesting of JSON', () => {
  it('is that of its value, whatever its texts say', () => {
    const texts = fc.stringMatching(/^[[\]{}"\\a]*$/);
    const { json } = fc.letrec((tie) => ({
      json: fc.oneof({ maxDepth: 6 }, texts, fc.array(tie('json')), fc.dictionary(texts, tie('json'))),
    }));
    fc.assert(
      fc.property(json, fc.nat(8), (value, most) => {
        expect(isNestedDeeper(Buffer.from(JSON.stringify(value)), most)).toBe(depthOf(value) > most);
      }),
    );
  });

  it('is told of anything that no JSON could be, too', () => {
    for (const text of ['', '"', '"\\', ']]]', '[[[', '{"a":['])
      expect(isNestedDeeper(Buffer.from(text), 3)).toBe(false);
    expect(isNestedDeeper(Buffer.from('['.repeat(4)), 3)).toBe(true);
  });
});
