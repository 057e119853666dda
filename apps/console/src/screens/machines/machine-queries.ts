import { queryOptions } from '@tanstack/react-query';
import { call } from '../../data/api';
import { liveByEvents } from '../../data/query-client';

export const machineQuery = (tenantId: string, machineId: string) =>
  queryOptions({
    queryKey: ['machines', tenantId, machineId],
    queryFn: () => call('GET /machine-identities/{machineId}', { tenantId, machineId }),
    ...liveByEvents,
  });
