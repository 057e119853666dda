import { queryOptions } from '@tanstack/react-query';
import { call } from './api';

/** Whether the first entries of the audit chain of a tenant verify; `idsync audit verify` verifies all of them. */
export const auditVerificationQuery = (tenantId: string) =>
  queryOptions({
    queryKey: ['audit-verification', tenantId],
    queryFn: () => call('GET /audit/verification', { tenantId }),
    staleTime: 60_000,
  });
