const firstMs = 100;
const longestMs = 30_000;

/** Milliseconds before the next attempt: doubling from 0.1 s to 30 s, each between half and all of that. */
export function doublingBackoff(attempt: number, random: () => number = Math.random): number {
  const full = Math.min(longestMs, firstMs * 2 ** Math.min(attempt - 1, 20));
  return Math.round(full / 2 + (full / 2) * random());
}
