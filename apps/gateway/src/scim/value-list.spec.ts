import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ValueList } from './value-list.js';

interface Value {
  value?: string;
  type?: string;
  display?: string;
}

/** The rule without an index. */
function same(a: Value, b: Value): boolean {
  if (a.value === undefined || b.value === undefined) return isDeepStrictEqual(a, b);
  return a.value === b.value && (a.type === undefined || b.type === undefined || a.type === b.type);
}

function added(before: readonly Value[], values: readonly Value[]): Value[] {
  const list = [...before];
  for (const value of values) {
    const at = list.findIndex((there) => same(there, value));
    if (at < 0) list.push(value);
    else list[at] = { ...list[at], ...value };
  }
  return list;
}

const few = fc.constantFrom('a', 'b');
const values = fc.array(
  fc.record({ value: few, type: few, display: few }, { requiredKeys: [], noNullPrototype: true }),
  { maxLength: 12 },
);

describe('the values of a SCIM attribute', () => {
  it('are added and found with the same result as a linear search', () => {
    fc.assert(
      fc.property(values, values, (before, more) => {
        const list = new ValueList(before);
        for (const value of more) list.add(value);
        expect(list.toArray()).toEqual(added(before, more));
        for (const value of more) {
          expect(new ValueList(before).has(value)).toBe(before.some((there) => same(there, value)));
        }
      }),
      { numRuns: 300 },
    );
  });

  it('are equal regardless of the order of their names, and may be plain text', () => {
    const list = new ValueList([{ type: 'home', locality: 'London' }, 'x']);
    expect(list.has({ locality: 'London', type: 'home' })).toBe(true);
    expect([list.has('x'), list.has('y')]).toEqual([true, false]);
    list.add('x');
    expect(list.toArray()).toHaveLength(2);
  });
});
