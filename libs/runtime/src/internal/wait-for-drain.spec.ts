import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { waitForDrain } from './wait-for-drain.js';

describe('a process that shuts down', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });

  afterEach(() => {
    jest.useRealTimers();
  });

  /** Returns after how many milliseconds it stops serving if the first probe comes after `probedAt`. */
  async function serves(delayMs: number, probedAt: number): Promise<number> {
    const began = Date.now();
    const unreadyReported = new Promise<void>((resolve) => setTimeout(resolve, probedAt));
    const ended = waitForDrain(delayMs, unreadyReported, 10_000).then(() => Date.now() - began);
    await jest.advanceTimersByTimeAsync(60_000);
    return ended;
  }

  it('keeps serving for its drain delay after the first readiness probe it answered', async () => {
    expect(await serves(3_000, 0)).toBe(3_000);
    expect(await serves(3_000, 4_000)).toBe(7_000);
  });

  it('waits for a probe at most ten seconds, or its drain delay if that is longer', async () => {
    expect(await serves(3_000, 9_000)).toBe(10_000);
    expect(await serves(3_000, 50_000)).toBe(10_000);
    expect(await serves(20_000, 50_000)).toBe(20_000);
  });

  it('stops immediately without a drain delay', async () => {
    expect(await serves(0, 50_000)).toBe(0);
  });
});
