import { describe, expect, it } from '@jest/globals';
import { formatCount, formatDuration, formatTime, timeAgo } from './format-time.js';
import { bracketsOf, countOf, entriesOf, isOpenAt, jsonOf } from './json-nodes.js';
import { holdMessage, shownValue, toneOf, wordsOf } from './words.js';

const now = Date.parse('2026-11-24T12:00:00Z');

it('states how long ago a time was, in the largest whole unit', () => {
  const ago = (at: string) => timeAgo(at, now);
  expect([
    ago('2026-11-24T11:59:50Z'),
    ago('2026-11-24T11:59:00Z'),
    ago('2026-11-24T09:01:00Z'),
    ago('2026-11-22T09:00:00Z'),
    ago('2026-11-24T14:00:00Z'),
  ]).toEqual(['now', '1 min. ago', '2 hr. ago', '2 days ago', 'in 2 hr.']);
});

it('shows a time in UTC, and text that is no time as it is', () => {
  expect(formatTime('2026-11-24T12:00:01.123Z', 'UTC')).toBe('2026-11-24 12:00:01 UTC');
  expect(formatTime('soon', 'local')).toBe('soon');
});

it('shows durations and counts', () => {
  expect([420, 38_000, 60_000, 61_000, 3_600_000, 4_320_000].map(formatDuration)).toEqual([
    '420 ms',
    '38 s',
    '1 min',
    '1 min 1 s',
    '1 h',
    '1 h 12 min',
  ]);
  expect([formatCount(12_040), formatCount(500, true)]).toEqual(['12,040', '500+']);
});

it('leaves out the status of a held run, which has another word on pages', () => {
  expect(holdMessage('quarantined: the run would delete 12 of 12 records')).toBe(
    'The run would delete 12 of 12 records',
  );
  expect(holdMessage('the file does not exist')).toBe('The file does not exist');
});

it('shows any value of a record on one line', () => {
  expect([undefined, '', [], ['a', ['b']], { a: 1 }, false, 0, '2011-09-15T00:00:00.000Z'].map(shownValue)).toEqual([
    '—',
    '—',
    '—',
    'a, b',
    '{"a":1}',
    'false',
    '0',
    '2011-09-15',
  ]);
});

it('a status that is not known is neutral, because new ones may be added', () => {
  expect([toneOf('failed'), toneOf('from_the_future'), toneOf('toString')]).toEqual(['bad', 'neutral', 'neutral']);
});

it('shows a status in words', () => {
  expect(wordsOf('completed_with_errors')).toBe('Completed with errors');
  expect(wordsOf('quarantined')).toBe('Held');
});

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
