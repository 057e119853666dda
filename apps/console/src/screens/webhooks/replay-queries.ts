import { queryOptions } from '@tanstack/react-query';
import { call } from '../../data/api';
import { live } from '../../data/query-client';
import type { ReplayWindow } from './replay-window';

/** The most events that a preview counts: one request returns them. */
const maxCounted = 200;

/** How many events a replay of this time examines. */
export const countedQuery = (tenantId: string, { since, until, events = [] }: ReplayWindow) =>
  queryOptions({
    queryKey: ['replayed-events', tenantId, { since, until, events }],
    queryFn: async () => {
      const { data, next_cursor } = await call(
        'GET /events',
        { tenantId },
        { since, until, types: events.join(','), limit: maxCounted },
      );
      // Tests are never sent again.
      const count = data.filter(({ event_type }) => event_type !== 'webhook.test').length;
      return { count, isAll: next_cursor === undefined };
    },
  });

/** The newest replays of a webhook. */
export const replaysQuery = (tenantId: string, webhookId: string) =>
  queryOptions({
    queryKey: ['replays', tenantId, webhookId],
    queryFn: async () => {
      const { data } = await call('GET /replays', { tenantId }, { limit: 200 });
      return data.filter((replay) => replay.webhook_id === webhookId).slice(0, 5);
    },
    ...live,
  });
