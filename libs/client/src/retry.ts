import { setTimeout as pause } from 'node:timers/promises';

export interface RetryOptions {
  /** Attempts after the first one. */
  retries: number;
  /** Limit for one attempt, in milliseconds. */
  timeoutMs: number;
}

export type Fetch = (request: Request, init?: RequestInit) => Promise<Response>;

const firstWaitMs = 500;
const longestWaitMs = 60_000;
/** Methods whose repetition has no further effect. */
const repeatable = new Set(['GET', 'PUT', 'PATCH', 'DELETE']);

/**
 * Returns a `fetch` that repeats requests: after 429 always, because such a request had no effect; after 503, a timeout
 * and a lost connection only if a repetition has no further effect. Waits for `Retry-After`, at most a minute, otherwise
 * half a second and then twice as long each time, minus a random part so that clients do not return together.
 */
export function retrying(fetch: Fetch, { retries, timeoutMs }: RetryOptions, mayRepeat = isRepeatable): Fetch {
  return async (request) => {
    for (let attempt = 0; ; attempt += 1) {
      const isLast = attempt >= retries;
      let wait = backoff(attempt);
      try {
        const signal = AbortSignal.any([request.signal, AbortSignal.timeout(timeoutMs)]);
        const response = await fetch(request.clone(), { signal });
        const asksForRetry = response.status === 429 || (response.status === 503 && mayRepeat(request));
        if (isLast || !asksForRetry) return response;
        wait = retryAfter(response) ?? wait;
        await response.body?.cancel();
      } catch (error) {
        if (isLast || request.signal.aborted || !mayRepeat(request)) throw error;
      }
      await pause(wait, undefined, { signal: request.signal });
    }
  };
}

function isRepeatable({ method }: Request): boolean {
  return repeatable.has(method);
}

function backoff(attempt: number): number {
  return Math.min(firstWaitMs * 2 ** attempt, longestWaitMs) * (0.5 + Math.random() / 2);
}

function retryAfter(response: Response): number | undefined {
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
  return Number.isFinite(seconds) && seconds >= 0 ? Math.min(seconds * 1_000, longestWaitMs) : undefined;
}
