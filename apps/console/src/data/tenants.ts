import { queryOptions } from '@tanstack/react-query';
import { call, callInstallation } from './api';

export const tenantsQuery = queryOptions({
  queryKey: ['tenants'],
  queryFn: () => callInstallation('GET /tenants', {}, { limit: 200 }),
  staleTime: 60_000,
});

export const tenantQuery = (tenantId: string) =>
  queryOptions({
    queryKey: ['tenants', tenantId],
    queryFn: () => call('GET ', { tenantId }),
    staleTime: 60_000,
  });
