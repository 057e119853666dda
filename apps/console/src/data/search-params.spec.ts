import { expect, it } from '@jest/globals';
import { searchOf, textOf } from './search-params.js';

it('reads parameters of a URL, and takes what it does not know for none', () => {
  expect([textOf('a'), textOf(1001), textOf(''), textOf(['a']), textOf(undefined)]).toEqual([
    'a',
    '1001',
    undefined,
    undefined,
    undefined,
  ]);
  const search = searchOf({ q: 'text', status: ['open', 'closed'], matched: ['true', 'false'] });
  expect(search({ q: 1001, status: 'open', matched: false })).toEqual({ q: '1001', status: 'open', matched: 'false' });
  expect(search({ q: '', status: 'other', another: 'x' })).toEqual({});
});
