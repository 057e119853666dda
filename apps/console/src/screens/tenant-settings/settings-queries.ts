import { queryOptions } from '@tanstack/react-query';
import { call, type operations } from '../../data/api';

export type Settings = operations['adminGetSettings']['responses'][200]['content']['application/json'];

export const settingsQuery = (tenantId: string) =>
  queryOptions({
    queryKey: ['settings', tenantId],
    queryFn: () => call('GET /settings', { tenantId }),
  });

export const quotasQuery = (tenantId: string) =>
  queryOptions({
    queryKey: ['quotas', tenantId],
    queryFn: () => call('GET /quotas', { tenantId }),
  });
