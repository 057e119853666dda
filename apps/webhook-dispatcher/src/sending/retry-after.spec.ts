import { describe, expect, it } from '@jest/globals';
import { retryAfterMs } from './retry-after.js';

const now = Date.parse('2026-01-31T12:00:00Z');

describe('Retry-After', () => {
  it.each([
    ['seconds', '120', 120_000],
    ['nothing to wait', '0', 0],
    ['a day at the most', '9999999999', 86_400_000],
    ['a day at the most, of many digits', '99999999999', 86_400_000],
    ['a day at the most, as a date', 'Sun, 31 Jan 2027 12:00:00 GMT', 86_400_000],
    ['a date', 'Sat, 31 Jan 2026 12:05:00 GMT', 300_000],
    ['a date that has passed', 'Sat, 31 Jan 2026 11:00:00 GMT', 0],
  ])('is understood as %s', (_, text, milliseconds) => {
    expect(retryAfterMs(text, now)).toBe(milliseconds);
  });

  it.each([[undefined], [''], ['soon'], ['-5'], ['1.5h'], ['9999999999999999']])('says nothing as %j', (text) => {
    expect(retryAfterMs(text, now)).toBeUndefined();
  });
});
