import { queryOptions } from '@tanstack/react-query';
import { call, type LifecycleEvent } from '../../data/api';

export const operationQuery = (tenantId: string, operationId: string) =>
  queryOptions({
    queryKey: ['operations', tenantId, operationId],
    queryFn: () => call('GET /operations/{operationId}', { tenantId, operationId }),
  });

/** Events that are read of one person; a person with more is shown from its first ones. */
const mostEvents = 2_000;

/** The whole history, oldest first. */
export const historyQuery = (tenantId: string, identityId: string) =>
  queryOptions({
    queryKey: ['identity', tenantId, identityId, 'history'],
    queryFn: async () => {
      const events: LifecycleEvent[] = [];
      for (let cursor: string | undefined = ''; cursor !== undefined && events.length < mostEvents; ) {
        const page: { data: LifecycleEvent[]; next_cursor?: string } = await call(
          'GET /identities/{identityId}/history',
          { tenantId, identityId },
          { limit: 200, cursor },
        );
        events.push(...page.data);
        cursor = page.next_cursor;
      }
      return events;
    },
  });
