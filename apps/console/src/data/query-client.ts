import { IdsyncError } from '@idsync/client/operator';
import { QueryClient } from '@tanstack/react-query';

const retries = 2;

/** A refused request is not repeated; one that the service could not answer is. */
function mayRetry(failures: number, error: Error): boolean {
  return failures < retries && !(error instanceof IdsyncError && error.status < 500 && error.status !== 429);
}

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: { retry: mayRetry, staleTime: 5_000, gcTime: 10 * 60_000 },
    mutations: { retry: false },
  },
});

const pollMs = 5_000;
const streamedMs = 60_000;

/** Whether the event stream reports changes; without it, queries are polled. */
export const streamState = { isUp: false };

/** The interval of a query that the event stream refreshes. */
export const unlessStreamed = (milliseconds: number) => (streamState.isUp ? streamedMs : milliseconds);

/** Interval of lists that change without events. TanStack Query pauses it while the page is hidden. */
export const live = { refetchInterval: pollMs, refetchIntervalInBackground: false } as const;

/** Interval of lists that change with events. */
export const liveByEvents = { ...live, refetchInterval: () => unlessStreamed(pollMs) } as const;
