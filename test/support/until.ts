import { setTimeout as pause } from 'node:timers/promises';

/** Looks again until it is so; generously bounded, and then an error that says what was waited for. */
export async function until(
  isSo: () => boolean | Promise<boolean>,
  what = 'what the test waits for',
  withinMs = 90_000,
): Promise<void> {
  for (const end = Date.now() + withinMs; !(await isSo()); await pause(20)) {
    if (Date.now() > end) throw new Error(`${what} does not come`);
  }
}
