import { setTimeout as sleep } from 'node:timers/promises';

const firstPauseMs = 10;
const longestPauseMs = 250;

/**
 * Polls with growing intervals until the value is done or `timeoutMs` have passed, and returns the last value. Holds no connection
 * between reads.
 */
export async function waitFor<T>(read: () => Promise<T>, isDone: (value: T) => boolean, timeoutMs: number): Promise<T> {
  const until = performance.now() + timeoutMs;
  let value = await read();
  for (let pause = firstPauseMs; !isDone(value); pause = Math.min(2 * pause, longestPauseMs)) {
    const left = until - performance.now();
    if (left <= 0) break;
    await sleep(Math.min(pause, left));
    value = await read();
  }
  return value;
}
