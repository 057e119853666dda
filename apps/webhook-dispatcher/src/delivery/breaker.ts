/** What is known of an endpoint's failures; times are milliseconds since 1970. */
export interface Breaker {
  /** Failures since the last success. */
  failures: number;
  /** How often it opened since the last success. */
  trips: number;
  /** Nobody calls before; absent while it is closed. */
  openUntil?: number;
}

export interface BreakerSettings {
  /** Failures in a row that open it. */
  threshold: number;
  firstPauseMs: number;
  longestPauseMs: number;
}

export const defaultBreaker: BreakerSettings = { threshold: 10, firstPauseMs: 5_000, longestPauseMs: 300_000 };

export const closed: Breaker = { failures: 0, trips: 0 };

/**
 * After a failure. The pause doubles each time a probe fails too; what was under way when it opened, and fails only now, does not
 * lengthen it.
 */
export function afterFailure(breaker: Breaker, now: number, settings: BreakerSettings): Breaker {
  const failures = breaker.failures + 1;
  const isOpen = breaker.openUntil !== undefined && breaker.openUntil > now;
  if (isOpen || failures < settings.threshold) return { ...breaker, failures };
  const pause = Math.min(settings.firstPauseMs * 2 ** Math.min(breaker.trips, 30), settings.longestPauseMs);
  return { failures, trips: breaker.trips + 1, openUntil: now + pause };
}

/** `open`: nobody calls; `half_open`: one call at a time finds out; `closed`: as many as there is room for. */
export function breakerState(breaker: Breaker, now: number): 'open' | 'half_open' | 'closed' {
  if (breaker.openUntil === undefined) return 'closed';
  return breaker.openUntil > now ? 'open' : 'half_open';
}
