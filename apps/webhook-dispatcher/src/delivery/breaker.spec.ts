import { describe, expect, it } from '@jest/globals';
import { afterFailure, type Breaker, breakerState, closed, defaultBreaker } from './breaker.js';

const settings = { threshold: 3, firstPauseMs: 100, longestPauseMs: 1_000 };

function failing(times: number, now: number, from: Breaker = closed): Breaker {
  return Array.from({ length: times }).reduce<Breaker>((breaker) => afterFailure(breaker, now, settings), from);
}

describe('a circuit breaker', () => {
  it('stays closed below the threshold of consecutive failures', () => {
    expect(breakerState(failing(2, 0), 0)).toBe('closed');
    expect(breakerState(failing(3, 0), 0)).toBe('open');
  });

  it('opens by default after ten consecutive failures, for five seconds', () => {
    let breaker = closed;
    for (let failures = 1; failures < 10; failures += 1) breaker = afterFailure(breaker, 0, defaultBreaker);
    expect(breakerState(breaker, 0)).toBe('closed');
    expect(afterFailure(breaker, 0, defaultBreaker)).toMatchObject({ openUntil: 5_000 });
  });

  it('allows one probe after its pause', () => {
    expect(breakerState(failing(3, 0), 99)).toBe('open');
    expect(breakerState(failing(3, 0), 100)).toBe('half_open');
  });

  it('is not extended by failures of attempts that were in flight when it opened', () => {
    expect(failing(20, 50, failing(3, 0))).toMatchObject({ trips: 1, openUntil: 100 });
  });

  it.each([
    ['up to a maximum', settings, [200, 400, 800, 1_000, 1_000, 1_000]],
    ['by default up to five minutes', defaultBreaker, [10_000, 20_000, 40_000, 80_000, 160_000, 300_000, 300_000]],
  ])('doubles its pause after each failed probe, %s', (_, used, expected) => {
    let breaker: Breaker = { failures: used.threshold, trips: 1, openUntil: used.firstPauseMs };
    const pauses = expected.map(() => {
      const now = breaker.openUntil ?? 0;
      breaker = afterFailure(breaker, now, used);
      return (breaker.openUntil ?? 0) - now;
    });
    expect(pauses).toEqual(expected);
  });
});
