import { expect, it } from '@jest/globals';
import { shownValue } from './shown-value.js';

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
