import { describe, expect, it } from '@jest/globals';
import { waitFor } from './wait-for.js';

function counter(): { reads: () => number; read: () => Promise<number> } {
  let count = 0;
  return { reads: () => count, read: async () => ++count };
}

describe('waitFor', () => {
  it('reads once if the value is done at once', async () => {
    const { read, reads } = counter();
    expect(await waitFor(read, () => true, 60_000)).toBe(1);
    expect(reads()).toBe(1);
  });

  it('reads until the value is done', async () => {
    const { read, reads } = counter();
    expect(await waitFor(read, (count) => count === 4, 60_000)).toBe(4);
    expect(reads()).toBe(4);
  });

  it('returns the last value after its timeout', async () => {
    const { read, reads } = counter();
    expect(await waitFor(read, () => false, 30)).toBe(reads());
    expect(reads()).toBeGreaterThan(1);
  });

  it('rejects with the error of a read', async () => {
    const read = (): Promise<never> => Promise.reject(new Error('the database is unavailable'));
    await expect(waitFor(read, () => false, 60_000)).rejects.toThrow('the database is unavailable');
  });
});
