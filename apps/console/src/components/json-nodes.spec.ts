import { describe, expect, it } from '@jest/globals';
import { bracketsOf, countOf, entriesOf, isOpenAt, jsonOf } from './json-nodes.js';

describe('JSON that is shown as a tree', () => {
  it('has entries with names in an object, without names in an array, and none in other values', () => {
    expect(entriesOf({ a: 1, b: undefined, c: null })).toEqual([
      { name: 'a', value: 1 },
      { name: 'c', value: null },
    ]);
    expect(entriesOf([1, [2]])).toEqual([{ value: 1 }, { value: [2] }]);
    for (const value of ['text', 1, true, null]) expect(entriesOf(value)).toBeUndefined();
    expect([bracketsOf([]), bracketsOf({})]).toEqual([
      ['[', ']'],
      ['{', '}'],
    ]);
  });

  it('counts its entries', () => {
    expect([countOf([]), countOf([{ value: 1 }])]).toEqual(['0 entries', '1 entry']);
  });

  it('is open if it is short, and otherwise at its first two levels', () => {
    const short = Array(40).fill('x').join('\n');
    expect([0, 1, 2, 9].map((depth) => isOpenAt(depth, short))).toEqual([true, true, true, true]);
    expect([0, 1, 2, 9].map((depth) => isOpenAt(depth, `${short}\nx`))).toEqual([true, true, false, false]);
    expect([2, 3].map((depth) => isOpenAt(depth, `${short}\nx`, 3))).toEqual([true, false]);
  });

  it('is read from bodies that are an object or array, and from no others', () => {
    expect(jsonOf('{"a":1}')).toEqual({ a: 1 });
    expect(jsonOf('[1]')).toEqual([1]);
    for (const body of ['<html>', '"text"', 'null', '']) expect(jsonOf(body)).toBeUndefined();
  });
});
