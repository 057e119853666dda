import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { contentHash } from '../batch/content-hash.js';
import { diffFields } from '../changes/field-changes.js';
import { distinct, sameValues } from './collections.js';

const values = fc.array(fc.constantFrom('A', 'B', 'C', 'a'), { minLength: 1, maxLength: 5 });
/** The same values in another order, some of them repeated. */
const rearranged = values.chain((some) =>
  fc
    .tuple(fc.array(fc.constantFrom(...some)), fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true })))
    .map(([more, places]): [string[], string[]] => {
      const sorted = [...some, ...more]
        .map((value) => ({ value, place: places.next().value as number }))
        .sort((a, b) => a.place - b.place);
      return [some, sorted.map(({ value }) => value)];
    }),
);
const hashOf = (roles: string[]) => contentHash({ external_id: '1', fields: { roles } }).toString('hex');

describe('the values of a field', () => {
  it('are a set: order and repetition are no change', () => {
    fc.assert(
      fc.property(rearranged, ([before, after]) => {
        expect(sameValues(before, after)).toBe(true);
        expect(diffFields({ roles: before }, { roles: after }, 'con_1')).toEqual([]);
        expect(hashOf(after)).toBe(hashOf(before));
      }),
    );
  });

  it('differ if a value is added, removed or written differently', () => {
    fc.assert(
      fc.property(values, values, (before, after) => {
        const same = distinct(before).sort().join() === distinct(after).sort().join();
        expect(sameValues(before, after)).toBe(same);
        expect(diffFields({ roles: before }, { roles: after }, 'con_1')).toHaveLength(same ? 0 : 1);
        expect(hashOf(after) === hashOf(before)).toBe(same);
      }),
    );
  });

  it('are not the same as no statement about the field', () => {
    expect(sameValues(undefined, [])).toBe(false);
    expect(sameValues(undefined, undefined)).toBe(true);
  });

  it('keep the order in which they were listed first', () => {
    expect(distinct(['B', 'A', 'B', 'C', 'A'])).toEqual(['B', 'A', 'C']);
  });
});
