// Figures of measurements, and loads of a fixed rate.
import { loadavg } from 'node:os';

export function median(numbers) {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];
}

/** Returns the value below which `share` of the numbers are. */
export function percentile(numbers, share) {
  return numbers.toSorted((a, b) => a - b)[Math.floor(share * (numbers.length - 1))];
}

export function sum(numbers) {
  return numbers.reduce((total, each) => total + each, 0);
}

/** Calls `run(n)` at a fixed rate, so that a slow call does not delay the next one. Resolves when all have ended. */
export async function atRate(count, perSecond, run) {
  const began = performance.now();
  const running = [];
  for (let n = 0; n < count; n += 1) {
    const wait = began + (1_000 * n) / perSecond - performance.now();
    if (wait > 0) await pause(wait);
    running.push(run(n));
  }
  await Promise.all(running);
}

/** Runs `work` for each number below `count` by `clients` at once; returns the seconds. */
export async function concurrently(clients, count, work) {
  const began = performance.now();
  let next = 0;
  const client = async () => {
    while (next < count) {
      const n = next;
      next += 1;
      await work(n);
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  return (performance.now() - began) / 1_000;
}

export function pause(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

export function describeLoad() {
  return `load average ${loadavg()
    .map((each) => each.toFixed(1))
    .join(' ')}`;
}
