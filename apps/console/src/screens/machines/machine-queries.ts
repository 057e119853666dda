import { queryOptions } from '@tanstack/react-query';
import { answerOf, api } from '../../data/api';
import { liveByEvents } from '../../data/query-client';

export const machineQuery = (tenantId: string, machineId: string) =>
  queryOptions({
    queryKey: ['machines', tenantId, machineId],
    queryFn: () =>
      answerOf(
        api.GET('/admin/v1/tenants/{tenantId}/machine-identities/{machineId}', {
          params: { path: { tenantId, machineId } },
        }),
      ),
    ...liveByEvents,
  });
