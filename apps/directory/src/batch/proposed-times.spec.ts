import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { ProposedTimes } from './proposed-times.js';

afterEach(() => {
  jest.restoreAllMocks();
});

describe('batches of a tenant', () => {
  it('propose times, and lock the sequence first for ten seconds after the time of one was refused', () => {
    let now = 1_000;
    jest.spyOn(performance, 'now').mockImplementation(() => now);
    const times = new ProposedTimes();
    expect(times.mayPropose('a')).toBe(true);
    times.refused('a');
    now += 9_999;
    expect([times.mayPropose('a'), times.mayPropose('b')]).toEqual([false, true]);
    now += 1;
    expect(times.mayPropose('a')).toBe(true);
  });
});
