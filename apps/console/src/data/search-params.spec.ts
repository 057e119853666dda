import { expect, it } from '@jest/globals';
import { oneOf, textOf } from './search-params.js';

it('reads parameters of a URL, and takes what it does not know for none', () => {
  expect([textOf('a'), textOf(1001), textOf(''), textOf(['a']), textOf(undefined)]).toEqual([
    'a',
    '1001',
    undefined,
    undefined,
    undefined,
  ]);
  expect([oneOf(['open', 'closed'], 'open'), oneOf(['open'], 'other')]).toEqual(['open', undefined]);
});
