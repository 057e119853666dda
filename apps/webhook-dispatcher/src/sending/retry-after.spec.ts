import { describe, expect, it } from '@jest/globals';
import { retryAfterMs } from './retry-after.js';

const now = Date.parse('2026-01-31T12:00:00Z');

describe('the Retry-After header', () => {
  it.each([
    ['seconds', '120', 120_000],
    ['no delay', '0', 0],
    ['at most a day', '9999999999', 86_400_000],
    ['at most a day, with many digits', '99999999999', 86_400_000],
    ['at most a day, as a date', 'Sun, 31 Jan 2027 12:00:00 GMT', 86_400_000],
    ['a date', 'Sat, 31 Jan 2026 12:05:00 GMT', 300_000],
    ['a date that has passed', 'Sat, 31 Jan 2026 11:00:00 GMT', 0],
  ])('is parsed as %s', (_, text, milliseconds) => {
    expect(retryAfterMs(text, now)).toBe(milliseconds);
  });

  it('is the first of several', () => {
    expect(retryAfterMs(['5', '7'], now)).toBe(5_000);
    expect(retryAfterMs([], now)).toBeUndefined();
  });

  it.each([[undefined], [''], ['soon'], ['31 Jan 2026 12:05:00 GMT'], ['-5'], ['1.5h'], ['9999999999999999']])(
    'is ignored if it is %j',
    (text) => {
      expect(retryAfterMs(text, now)).toBeUndefined();
    },
  );
});
