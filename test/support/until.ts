import { setTimeout as pause } from 'node:timers/promises';

/** Polls until the condition holds; after a generous time limit, throws an error that names it. */
export async function until(
  isSo: () => boolean | Promise<boolean>,
  what = 'the condition of the test',
  withinMs = 90_000,
): Promise<void> {
  for (const end = Date.now() + withinMs; !(await isSo()); await pause(20)) {
    if (Date.now() > end) throw new Error(`timed out: ${what}`);
  }
}
