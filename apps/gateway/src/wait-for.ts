import { setTimeout as sleep } from 'node:timers/promises';

const firstPauseMs = 10;
const longestPauseMs = 250;

/**
 * Reads again and again, less often as time goes by, until what it read is done or `patienceMs` have passed; the last that
 * was read. Each read is short and on its own: nothing is held while waiting.
 */
export async function waitFor<T>(
  read: () => Promise<T>,
  isDone: (answer: T) => boolean,
  patienceMs: number,
): Promise<T> {
  const until = performance.now() + patienceMs;
  let answer = await read();
  for (let pause = firstPauseMs; !isDone(answer); pause = Math.min(2 * pause, longestPauseMs)) {
    const left = until - performance.now();
    if (left <= 0) break;
    await sleep(Math.min(pause, left));
    answer = await read();
  }
  return answer;
}
