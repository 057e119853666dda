import { queryOptions } from '@tanstack/react-query';
import { call, type OperatorEvent, type operations } from './api';
import { cursorPages } from './pages';
import { unlessStreamed } from './query-client';

export type { OperatorEvent };
export type EventFilters = Omit<NonNullable<operations['adminListEvents']['parameters']['query']>, 'limit' | 'cursor'>;

const everyMs = 3_000;

/**
 * Events, the newest first. They are refreshed while the newest page is shown alone: a longer list would move away from
 * what is being read.
 */
export const eventsQuery = (tenantId: string, filters: EventFilters, isPaused = false) => ({
  ...cursorPages(['events', tenantId, filters], (cursor) =>
    call('GET /events', { tenantId }, { ...filters, limit: 50, cursor }),
  ),
  refetchInterval: ({ state }: { state: { data?: { pages: unknown[] } | undefined } }) =>
    isPaused || (state.data?.pages.length ?? 0) > 1 ? false : unlessStreamed(everyMs),
  refetchIntervalInBackground: false,
});

export const eventQuery = (tenantId: string, eventId: string) =>
  queryOptions({
    queryKey: ['event', tenantId, eventId],
    queryFn: () => call('GET /events/{eventId}', { tenantId, eventId }),
  });
