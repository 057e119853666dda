import { describe, expect, it } from '@jest/globals';
import { waitFor } from './wait-for.js';

function counter(): { reads: () => number; read: () => Promise<number> } {
  let count = 0;
  return { reads: () => count, read: async () => ++count };
}

describe('waiting for an answer', () => {
  it('reads once what is done at once', async () => {
    const { read, reads } = counter();
    expect(await waitFor(read, () => true, 60_000)).toBe(1);
    expect(reads()).toBe(1);
  });

  it('reads until it is done, and no further', async () => {
    const { read, reads } = counter();
    expect(await waitFor(read, (count) => count === 4, 60_000)).toBe(4);
    expect(reads()).toBe(4);
  });

  it('gives the last it has read when its patience ends', async () => {
    const { read, reads } = counter();
    expect(await waitFor(read, () => false, 30)).toBe(reads());
    expect(reads()).toBeGreaterThan(1);
  });

  it('fails as its reading fails', async () => {
    const read = (): Promise<never> => Promise.reject(new Error('the database is away'));
    await expect(waitFor(read, () => false, 60_000)).rejects.toThrow('the database is away');
  });
});
