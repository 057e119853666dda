const firstMs = 100;
const maxMs = 30_000;

/** Returns the milliseconds before the next attempt: doubling from 0.1 s to 30 s, with a jitter of up to half. */
export function doublingBackoff(attempt: number, random: () => number = Math.random): number {
  const full = Math.min(maxMs, firstMs * 2 ** Math.min(attempt - 1, 20));
  return Math.round(full / 2 + (full / 2) * random());
}
