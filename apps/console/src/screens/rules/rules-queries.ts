import { queryOptions } from '@tanstack/react-query';
import { answerOf, api, type operations } from '../../data/api';

export type Rules = operations['adminGetMatchingRules']['responses'][200]['content']['application/json'];
export type Precedence = operations['adminGetAttributePriorities']['responses'][200]['content']['application/json'];

export const rulesQuery = (tenantId: string) =>
  queryOptions({
    queryKey: ['matching-rules', tenantId],
    queryFn: () => answerOf(api.GET('/admin/v1/tenants/{tenantId}/matching-rules', { params: { path: { tenantId } } })),
    refetchOnWindowFocus: false,
  });

export const precedenceQuery = (tenantId: string) =>
  queryOptions({
    queryKey: ['attribute-priorities', tenantId],
    queryFn: () =>
      answerOf(api.GET('/admin/v1/tenants/{tenantId}/attribute-priorities', { params: { path: { tenantId } } })),
    refetchOnWindowFocus: false,
  });
