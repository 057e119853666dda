import { within } from './waiting.js';

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
