import { setTimeout as pause } from 'node:timers/promises';

/**
 * Polls until `read` returns a truthy value, and returns it. After `withinMs` throws an error with `what`, which may
 * return the last state. The default is below the time limit of a test, whose error does not say what was awaited.
 */
export async function until<T>(
  read: () => T | Promise<T>,
  what: string | (() => unknown) = String(read),
  withinMs = 90_000,
): Promise<Exclude<T, false | undefined>> {
  for (const end = Date.now() + withinMs; ; await pause(20)) {
    const found = await read();
    if (found) return found as Exclude<T, false | undefined>;
    if (Date.now() > end) {
      const said = typeof what === 'string' ? what : JSON.stringify(await what());
      throw new Error(`timed out after ${withinMs} ms: ${said}`);
    }
  }
}
