import { within } from './within.js';

type Close = () => unknown;

/**
 * Closes one part after another, each though those before it failed; then throws what failed first. So a process that could not end all
 * of its work ends as one that did not, and still gives back what it holds.
 */
export async function closeInTurn(...parts: Close[]): Promise<void> {
  const failures: unknown[] = [];
  for (const close of parts) await noting(close, failures);
  if (failures.length > 0) throw failures[0];
}

/** Closes parts at the same time, so that the longest of them is all it takes; throws what failed first when all are through. */
export async function closeTogether(...parts: Close[]): Promise<void> {
  const failures: unknown[] = [];
  await Promise.all(parts.map((close) => noting(close, failures)));
  if (failures.length > 0) throw failures[0];
}

/** Says goodbye, and waits for the answer no longer than that: whoever does not answer is left, and what it held for us comes back. */
export async function farewell(goodbye: Promise<unknown>, withinMs = 2_000): Promise<void> {
  await within(
    withinMs,
    goodbye.catch(() => undefined),
  );
}

async function noting(close: Close, failures: unknown[]): Promise<void> {
  try {
    await close();
  } catch (error) {
    failures.push(error);
  }
}
