import { describe, expect, it } from '@jest/globals';
import { retryAfterMs, storedHeaders } from './http-sender.js';

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

describe('the stored headers of a response', () => {
  it('join repeated ones, and leave out cookies', () => {
    expect(
      storedHeaders({ 'retry-after': '7', via: ['a', 'b'], 'set-cookie': ['session=1'], none: undefined }),
    ).toEqual({
      'retry-after': '7',
      via: 'a, b',
    });
  });

  it('are at most 64 with together 8 KiB, and each value has at most 1 KiB', () => {
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`x-${index}`, 'v']));
    expect(Object.keys(storedHeaders(many))).toHaveLength(64);
    const large = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`x-${index}`, 'é'.repeat(4_096)]));
    const stored = storedHeaders(large);
    expect(stored['x-0']).toBe('é'.repeat(512));
    expect(Buffer.byteLength(JSON.stringify(stored))).toBeLessThan(9 * 1_024);
    expect(Object.keys(stored).length).toBeGreaterThan(5);
  });

  it('are those before the first one that exceeds 8 KiB', () => {
    const full = Object.fromEntries([...'abcdefgh'].map((name) => [name, 'v'.repeat(1_023)]));
    expect(storedHeaders({ ...full, i: '' })).toEqual(full);
  });

  it('contain no NUL, which PostgreSQL does not store', () => {
    expect(storedHeaders({ odd: 'a\0b' })).toEqual({ odd: 'a\uFFFDb' });
  });
});
