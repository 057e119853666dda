import { queryOptions } from '@tanstack/react-query';
import { answerOf, api } from './api';
import { live } from './query-client';

/** Acts that wait for a second operator; at most 100 of a tenant. */
export const pendingApprovalsQuery = (tenantId: string) =>
  queryOptions({
    queryKey: ['approvals', tenantId, 'pending'],
    queryFn: () =>
      answerOf(
        api.GET('/admin/v1/tenants/{tenantId}/approvals', {
          params: { path: { tenantId }, query: { status: 'pending', limit: 100 } },
        }),
      ),
    ...live,
  });
