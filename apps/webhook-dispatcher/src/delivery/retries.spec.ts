import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { afterFailure, type Breaker, breakerState, closed, defaultBreaker } from './breaker.js';
import { nextAttemptAt, retryDelays } from './retry-schedule.js';

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

const hours = (count: number) => count * 3_600_000;
const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

describe('the retry schedule', () => {
  it('has ten attempts: immediately, then 5 s, 5 m, 30 m, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h after the one before', () => {
    const delays = retryDelays.map((_, index) => nextAttemptAt(index + 1, 0, { random: 0.5 })?.getTime());
    expect(delays).toEqual([5_000, 300_000, 1_800_000, hours(2), hours(5), hours(10), hours(14), hours(20), hours(24)]);
  });

  it('matches the schedule in the documentation', () => {
    const page = readFileSync(new URL('../../../../docs/webhooks.md', import.meta.url), 'utf8');
    const units = [
      [hours(1), 'h'],
      [60_000, 'min'],
      [1_000, 's'],
    ] as const;
    const documented = retryDelays.map((delay) => {
      const [size, unit] = units.find(([ms]) => delay >= ms) ?? [1, 'ms'];
      return `${delay / size} ${unit}`;
    });
    expect(page).toContain(`| after | at once | ${documented.join(' | ')} |\n`);
  });

  it('ends after the tenth attempt', () => {
    expect(nextAttemptAt(9, 0, { random: 0 })).toBeDefined();
    expect(nextAttemptAt(10, 0, { random: 0 })).toBeUndefined();
    expect(nextAttemptAt(10, 0, { random: 0, retryAfterMs: 1 })).toBeUndefined();
  });

  it('varies each delay by at most a fifth', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 9 }), random, (failed, chance) => {
        const delay = retryDelays[failed - 1] ?? 0;
        const at = nextAttemptAt(failed, 1_000, { random: chance })?.getTime() ?? 0;
        expect(at).toBeGreaterThanOrEqual(1_000 + Math.floor(delay * 0.8));
        expect(at).toBeLessThanOrEqual(1_000 + Math.ceil(delay * 1.2));
      }),
    );
  });

  it('spreads deliveries that failed together', () => {
    const times = [0, 0.25, 0.75].map((chance) => nextAttemptAt(2, 0, { random: chance })?.getTime());
    expect(times).toEqual([240_000, 270_000, 330_000]);
  });

  it('is delayed by Retry-After, never shortened', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 9 }),
        random,
        fc.integer({ min: 0, max: hours(24) }),
        (failed, chance, ms) => {
          const plain = nextAttemptAt(failed, 0, { random: chance })?.getTime() ?? 0;
          const asked = nextAttemptAt(failed, 0, { random: chance, retryAfterMs: ms })?.getTime() ?? 0;
          expect(asked).toBe(Math.max(plain, ms));
        },
      ),
    );
  });
});
