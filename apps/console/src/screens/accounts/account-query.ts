import { queryOptions } from '@tanstack/react-query';
import { answerOf, api } from '../../data/api';
import { liveByEvents } from '../../data/query-client';

export const accountQuery = (tenantId: string, accountId: string) =>
  queryOptions({
    queryKey: ['accounts', tenantId, accountId],
    queryFn: () =>
      answerOf(
        api.GET('/admin/v1/tenants/{tenantId}/accounts/{accountId}', { params: { path: { tenantId, accountId } } }),
      ),
    ...liveByEvents,
  });
