import { CliError, UnreachableError } from './cli-error.js';

const firstPauseMs = 100;
const longestPauseMs = 1_000;

export interface WatchLimits {
  /** Gives up watching; what is watched goes on. */
  timeoutMs: number;
  /** A service that restarts is waited for this long. */
  outageMs: number;
}

/** Reads something, more and more seldom, until it is settled; shows each reading. */
export async function watch<Thing>(
  read: () => Promise<Thing>,
  show: (thing: Thing) => void,
  isSettled: (thing: Thing) => boolean,
  { timeoutMs, outageMs }: WatchLimits,
): Promise<Thing> {
  const end = Date.now() + timeoutMs;
  let lastAnswer = Date.now();
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 1.5, longestPauseMs)) {
    try {
      const thing = await read();
      lastAnswer = Date.now();
      show(thing);
      if (isSettled(thing)) return thing;
    } catch (error) {
      if (!(error instanceof UnreachableError) || Date.now() - lastAnswer > outageMs) throw error;
    }
    if (Date.now() > end) throw new CliError('gave up watching: the time is over; what was watched goes on');
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}
