/** Circuit breaker state of an endpoint; times are milliseconds since 1970. */
export interface Breaker {
  /** Failures since the last success. */
  failures: number;
  /** Openings since the last success. */
  trips: number;
  /** No attempts before this time; absent while the breaker is closed. */
  openUntil?: number;
}

export interface BreakerSettings {
  /** Consecutive failures that open the breaker. */
  threshold: number;
  firstPauseMs: number;
  longestPauseMs: number;
}

export const defaultBreaker: BreakerSettings = { threshold: 10, firstPauseMs: 5_000, longestPauseMs: 300_000 };

export const closed: Breaker = { failures: 0, trips: 0 };

/**
 * Returns the breaker after a failure. Each failed probe doubles the pause; attempts that were in flight when the
 * breaker opened do not extend it.
 */
export function afterFailure(breaker: Breaker, now: number, settings: BreakerSettings): Breaker {
  const failures = breaker.failures + 1;
  const isOpen = breaker.openUntil !== undefined && breaker.openUntil > now;
  if (isOpen || failures < settings.threshold) return { ...breaker, failures };
  const pause = Math.min(settings.firstPauseMs * 2 ** Math.min(breaker.trips, 30), settings.longestPauseMs);
  return { failures, trips: breaker.trips + 1, openUntil: now + pause };
}

/** `open`: no attempts; `half_open`: one probe at a time; `closed`: no restriction. */
export function breakerState(breaker: Breaker, now: number): 'open' | 'half_open' | 'closed' {
  if (breaker.openUntil === undefined) return 'closed';
  return breaker.openUntil > now ? 'open' : 'half_open';
}
