const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/**
 * Delays in milliseconds from a failure to the next attempt, as Standard Webhooks proposes: ten attempts within about
 * three days, the first one immediately.
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

/** Spreads deliveries that failed together. */
const jitter = 0.2;

/**
 * Returns the time of the next attempt after `failed` failures; undefined after the last one. `Retry-After` can only
 * delay it. `random` is in [0, 1).
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
