import { QueryClient } from '@tanstack/react-query';
import { IdsyncError } from './api';

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

/** Interval of lists that change while they are looked at. TanStack Query pauses it while the page is hidden. */
export const live = { refetchInterval: 5_000, refetchIntervalInBackground: false } as const;
