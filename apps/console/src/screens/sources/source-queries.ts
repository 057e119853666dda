import { queryOptions } from '@tanstack/react-query';
import { answerOf, api } from '../../data/api';
import { offsetPages } from '../../data/pages';
import { live } from '../../data/query-client';

export const sourceQuery = (tenantId: string, connectorId: string) =>
  queryOptions({
    queryKey: ['connectors', tenantId, connectorId],
    queryFn: () =>
      answerOf(
        api.GET('/admin/v1/tenants/{tenantId}/connectors/{connectorId}', {
          params: { path: { tenantId, connectorId } },
        }),
      ),
    ...live,
  });

export const failingRecordsQuery = (tenantId: string, connectorId: string) =>
  offsetPages(['failing-records', tenantId, connectorId], (offset) =>
    answerOf(
      api.GET('/admin/v1/tenants/{tenantId}/connectors/{connectorId}/errors', {
        params: { path: { tenantId, connectorId }, query: { limit: 50, offset } },
      }),
    ),
  );
