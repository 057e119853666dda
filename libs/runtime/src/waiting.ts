import { setTimeout as sleep } from 'node:timers/promises';

/** Returns the result of the work, or `late` after the given time; a later result is ignored. */
export async function withTimeout<Result>(milliseconds: number, work: Promise<Result>, late: Result): Promise<Result> {
  const over = new AbortController();
  const timer = sleep(milliseconds, late, { signal: over.signal });
  timer.catch(() => undefined);
  return Promise.race([work, timer]).finally(() => over.abort());
}

/** Returns whether the work ends within the given time. Rejects if it fails in time. */
export function within(milliseconds: number, work: Promise<unknown>): Promise<boolean> {
  const ended = work.then(() => true);
  return withTimeout(milliseconds, ended, false);
}

/** Sleeps; the signal ends it early. */
export async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  await sleep(milliseconds, undefined, { signal }).catch(() => undefined);
}
