import { expect, it } from '@jest/globals';
import { allowedOf } from './allowed.js';

it.each([
  [{}, undefined],
  [{ max_percent: 20 }, 'Allowed: 20 %'],
  [{ max_percent: 20, max_records: 2 }, 'Allowed: 20 % or 2 records, whichever is more'],
  [{ max_percent: 10, max_records: 1 }, 'Allowed: 10 % or 1 record, whichever is more'],
  [{ max_percent: 0, max_records: 0 }, 'Allowed: none'],
])('says what the bound %j allows: %s', (bound, words) => {
  expect(allowedOf(bound)).toBe(words);
});
