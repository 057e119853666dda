const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/**
 * Milliseconds from the failure of one attempt to the next, as Standard Webhooks proposes them: ten attempts within about three
 * days. The first is made at once.
 */
export const retryDelays: readonly number[] = [
  5 * second,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  14 * hour,
  20 * hour,
  24 * hour,
];

/** Deliveries that failed together do not come back together. */
const jitter = 0.2;

/**
 * When a delivery is tried again of which so many attempts have failed; undefined if it is given up. `Retry-After` can only make
 * it later. `random` is in [0, 1).
 */
export function nextAttemptAt(
  failed: number,
  now: number,
  {
    retryAfterMs = 0,
    random,
    delays = retryDelays,
  }: { retryAfterMs?: number; random: number; delays?: readonly number[] },
): Date | undefined {
  const delay = delays[failed - 1];
  if (delay === undefined) return undefined;
  const jittered = delay * (1 - jitter + 2 * jitter * random);
  return new Date(now + Math.round(Math.max(jittered, retryAfterMs)));
}
