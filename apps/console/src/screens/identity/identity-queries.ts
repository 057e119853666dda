import { queryOptions } from '@tanstack/react-query';
import { answerOf, api, type LifecycleEvent } from '../../data/api';

export const operationQuery = (tenantId: string, operationId: string) =>
  queryOptions({
    queryKey: ['operations', tenantId, operationId],
    queryFn: () =>
      answerOf(
        api.GET('/admin/v1/tenants/{tenantId}/operations/{operationId}', {
          params: { path: { tenantId, operationId } },
        }),
      ),
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
        const page: { data: LifecycleEvent[]; next_cursor?: string } = await answerOf(
          api.GET('/admin/v1/tenants/{tenantId}/identities/{identityId}/history', {
            params: { path: { tenantId, identityId }, query: { limit: 200, cursor } },
          }),
        );
        events.push(...page.data);
        cursor = page.next_cursor;
      }
      return events;
    },
  });
