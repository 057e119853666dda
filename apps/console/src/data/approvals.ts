import { queryOptions } from '@tanstack/react-query';
import { call } from './api';
import { live } from './query-client';

/** Acts that wait for a second operator; at most 100 of a tenant. */
export const pendingApprovalsQuery = (tenantId: string) =>
  queryOptions({
    queryKey: ['approvals', tenantId, 'pending'],
    queryFn: () => call('GET /approvals', { tenantId }, { status: 'pending', limit: 100 }),
    ...live,
  });
