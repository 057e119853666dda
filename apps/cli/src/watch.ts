import { CliError, UnreachableError } from './cli-error.js';

const firstPauseMs = 100;
const longestPauseMs = 1_000;

export interface WatchLimits {
  timeoutMs: number;
  /** How long the service may be unreachable, so that a restart does not end the watch. */
  outageMs: number;
}

/** Polls with growing intervals until the resource is settled, and shows each state. */
export async function watch<Resource>(
  read: () => Promise<Resource>,
  show: (resource: Resource) => void,
  isSettled: (resource: Resource) => boolean,
  { timeoutMs, outageMs }: WatchLimits,
): Promise<Resource> {
  const end = Date.now() + timeoutMs;
  let lastResponse = Date.now();
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 1.5, longestPauseMs)) {
    try {
      const resource = await read();
      lastResponse = Date.now();
      show(resource);
      if (isSettled(resource)) return resource;
    } catch (error) {
      if (!(error instanceof UnreachableError) || Date.now() - lastResponse > outageMs) throw error;
    }
    if (Date.now() > end) {
      throw new CliError(`stopped waiting after ${timeoutMs / 1_000} s; what was requested continues`);
    }
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}
