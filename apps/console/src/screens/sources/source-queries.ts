import { queryOptions } from '@tanstack/react-query';
import { answerOf, api } from '../../data/api';
import { offsetPages } from '../../data/pages';
import { live } from '../../data/query-client';

export const failingRecordsQuery = (tenantId: string, connectorId: string) =>
  offsetPages(['failing-records', tenantId, connectorId], (offset) =>
    answerOf(
      api.GET('/admin/v1/tenants/{tenantId}/connectors/{connectorId}/errors', {
        params: { path: { tenantId, connectorId }, query: { limit: 50, offset } },
      }),
    ),
  );

const shownRuns = 5;

/** The last runs of a source. */
export const lastRunsQuery = (tenantId: string, connectorId: string) =>
  queryOptions({
    queryKey: ['jobs', tenantId, { connectorId, limit: shownRuns }],
    queryFn: () =>
      answerOf(
        api.GET('/admin/v1/tenants/{tenantId}/sync-jobs', {
          params: { path: { tenantId }, query: { connector_id: connectorId, limit: shownRuns } },
        }),
      ),
    ...live,
  });

/** Tokens with which an identity provider pushes to a source. */
export const tokensQuery = (tenantId: string, connectorId: string) =>
  queryOptions({
    queryKey: ['connector-tokens', tenantId, connectorId],
    queryFn: () =>
      answerOf(
        api.GET('/admin/v1/tenants/{tenantId}/connectors/{connectorId}/tokens', {
          params: { path: { tenantId, connectorId }, query: { limit: 100 } },
        }),
      ),
  });
