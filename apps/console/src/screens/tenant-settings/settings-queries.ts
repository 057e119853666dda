import { queryOptions } from '@tanstack/react-query';
import { answerOf, api, type operations } from '../../data/api';

export type Settings = operations['adminGetSettings']['responses'][200]['content']['application/json'];

export const settingsQuery = (tenantId: string) =>
  queryOptions({
    queryKey: ['settings', tenantId],
    queryFn: () => answerOf(api.GET('/admin/v1/tenants/{tenantId}/settings', { params: { path: { tenantId } } })),
  });

export const quotasQuery = (tenantId: string) =>
  queryOptions({
    queryKey: ['quotas', tenantId],
    queryFn: () => answerOf(api.GET('/admin/v1/tenants/{tenantId}/quotas', { params: { path: { tenantId } } })),
  });
