import { queryOptions } from '@tanstack/react-query';
import { answerOf, api, call } from './api';

export const tenantsQuery = queryOptions({
  queryKey: ['tenants'],
  queryFn: () => answerOf(api.GET('/admin/v1/tenants', { params: { query: { limit: 200 } } })),
  staleTime: 60_000,
});

export const tenantQuery = (tenantId: string) =>
  queryOptions({
    queryKey: ['tenants', tenantId],
    queryFn: () => call('GET ', { tenantId }),
    staleTime: 60_000,
  });
