import { IdsyncError } from '@idsync/client/operator';
import { infiniteQueryOptions, QueryClient } from '@tanstack/react-query';

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
export const live = { refetchInterval: pollMs } as const;

/** Interval of lists that change with events. */
export const liveByEvents = { ...live, refetchInterval: () => unlessStreamed(pollMs) } as const;

interface CursorPage<Item> {
  data: Item[];
  next_cursor?: string;
  total?: number;
  total_is_estimate?: boolean;
}
interface OffsetPage<Item> {
  data: Item[];
  total: number;
  total_is_estimate?: boolean;
  offset: number;
}

/** A list that is read page by page with cursors. */
export function cursorPages<Item, Page extends CursorPage<Item>>(
  queryKey: readonly unknown[],
  read: (cursor: string | undefined) => Promise<Page & CursorPage<Item>>,
) {
  return infiniteQueryOptions({
    queryKey,
    queryFn: ({ pageParam }) => read(pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor,
  });
}

/** A list of the operator API that has no cursors. */
export function offsetPages<Item, Page extends OffsetPage<Item>>(
  queryKey: readonly unknown[],
  read: (offset: number) => Promise<Page & OffsetPage<Item>>,
) {
  return infiniteQueryOptions({
    queryKey,
    queryFn: ({ pageParam }) => read(pageParam),
    initialPageParam: 0,
    getNextPageParam: ({ data, offset, total, total_is_estimate: hasMore }) =>
      data.length > 0 && (hasMore || offset + data.length < total) ? offset + data.length : undefined,
  });
}

export function itemsOf<Item>(pages: { pages: { data: Item[] }[] } | undefined): Item[] {
  return pages?.pages.flatMap(({ data }) => data) ?? [];
}
