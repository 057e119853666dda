import { describe, expect, it } from '@jest/globals';
import { initialCap, nextCap } from './concurrency-cap.js';

const after = (durations: number[], from = initialCap) => durations.reduce(nextCap, from);

describe('the concurrency cap of an endpoint', () => {
  it('grows with quick responses, up to 64', () => {
    expect(after(Array(4).fill(10))).toBe(initialCap + 1);
    expect(after(Array(1_000).fill(10))).toBe(64);
  });

  it('is halved by each slow response, down to 2', () => {
    expect(after([5_000])).toBe(initialCap / 2);
    expect(after(Array(20).fill(15_000))).toBe(2);
  });

  it('does not change for responses between quick and slow', () => {
    expect(after([1_000, 3_000, 4_999])).toBe(initialCap);
  });
});
