import { describe, expect, it } from '@jest/globals';
import { storedHeaders } from './sent-headers.js';

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
