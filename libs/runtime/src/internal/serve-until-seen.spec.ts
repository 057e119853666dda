import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { serveUntilSeen } from './serve-until-seen.js';

describe('a process that is told to end', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });

  afterEach(() => {
    jest.useRealTimers();
  });

  /** After how many milliseconds it stops serving, if the first look comes after `lookedAt`. */
  async function serves(delayMs: number, lookedAt: number): Promise<number> {
    const began = Date.now();
    const told = new Promise<void>((resolve) => setTimeout(resolve, lookedAt));
    const ended = serveUntilSeen(delayMs, told, 10_000).then(() => Date.now() - began);
    await jest.advanceTimersByTimeAsync(60_000);
    return ended;
  }

  it('serves on for its delay, counted from the first look that it answered', async () => {
    expect(await serves(3_000, 0)).toBe(3_000);
    expect(await serves(3_000, 4_000)).toBe(7_000);
  });

  it('waits for a look no longer than ten seconds, or its delay where that is more', async () => {
    expect(await serves(3_000, 9_000)).toBe(10_000);
    expect(await serves(3_000, 50_000)).toBe(10_000);
    expect(await serves(20_000, 50_000)).toBe(20_000);
  });

  it('ends at once where it has no delay: nobody looks', async () => {
    expect(await serves(0, 50_000)).toBe(0);
  });
});
