import { describe, expect, it } from '@jest/globals';
import { initialCap, nextCap } from './concurrency-cap.js';

const after = (durations: number[], from = initialCap) => durations.reduce(nextCap, from);

describe('what an endpoint may have under way', () => {
  it('grows with quick answers, up to 64', () => {
    expect(after(Array(4).fill(10))).toBe(initialCap + 1);
    expect(after(Array(1_000).fill(10))).toBe(64);
  });

  it('is halved by each slow answer, down to 2', () => {
    expect(after([6_000])).toBe(initialCap / 2);
    expect(after(Array(20).fill(15_000))).toBe(2);
  });

  it('stays as it is in between', () => {
    expect(after([2_000, 3_000, 4_999])).toBe(initialCap);
  });
});
