import { queryOptions, useQuery } from '@tanstack/react-query';
import { answerOf, api } from './api';

/** The sources of a tenant, which are few. */
export const connectorsQuery = (tenantId: string) =>
  queryOptions({
    queryKey: ['connectors', tenantId],
    queryFn: () =>
      answerOf(
        api.GET('/admin/v1/tenants/{tenantId}/connectors', { params: { path: { tenantId }, query: { limit: 200 } } }),
      ),
    staleTime: 30_000,
  });

/** Returns the name of a source by its id; a source that no longer exists has its id as its name. */
export function useConnectorNames(tenantId: string): (id: string) => string {
  const { data } = useQuery(connectorsQuery(tenantId));
  return (id) => data?.data.find((connector) => connector.id === id)?.name ?? id;
}
