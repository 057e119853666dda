import { queryOptions } from '@tanstack/react-query';
import { answerOf, api } from './api';

/** Whether the first entries of the audit chain of a tenant verify; `idsync audit verify` verifies all of them. */
export const auditVerificationQuery = (tenantId: string) =>
  queryOptions({
    queryKey: ['audit-verification', tenantId],
    queryFn: () =>
      answerOf(api.GET('/admin/v1/tenants/{tenantId}/audit/verification', { params: { path: { tenantId } } })),
    staleTime: 60_000,
  });
