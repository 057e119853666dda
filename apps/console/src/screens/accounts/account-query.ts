import { queryOptions } from '@tanstack/react-query';
import { call } from '../../data/api';
import { liveByEvents } from '../../data/query-client';

export const accountQuery = (tenantId: string, accountId: string) =>
  queryOptions({
    queryKey: ['accounts', tenantId, accountId],
    queryFn: () => call('GET /accounts/{accountId}', { tenantId, accountId }),
    ...liveByEvents,
  });
