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

type Close = () => unknown;

/**
 * Closes parts in sequence, continuing after a failure, and throws the first failure at the end, so that a process
 * releases everything and still exits with an error.
 */
export async function closeInTurn(...parts: Close[]): Promise<void> {
  const failures: unknown[] = [];
  for (const close of parts) await collect(close, failures);
  if (failures.length > 0) throw failures[0];
}

/** Closes parts concurrently and throws the first failure once all have ended. */
export async function closeTogether(...parts: Close[]): Promise<void> {
  const failures: unknown[] = [];
  await Promise.all(parts.map((close) => collect(close, failures)));
  if (failures.length > 0) throw failures[0];
}

/**
 * Waits for a close operation at most `withinMs` and ignores its failure; an unresponsive peer notices the lost
 * connection itself.
 */
export async function closeWithin(closing: Promise<unknown>, withinMs = 2_000): Promise<void> {
  await within(
    withinMs,
    closing.catch(() => undefined),
  );
}

async function collect(close: Close, failures: unknown[]): Promise<void> {
  try {
    await close();
  } catch (error) {
    failures.push(error);
  }
}
