import { queryOptions } from '@tanstack/react-query';
import { call } from './api';
import { live } from './query-client';

/** The webhooks of a tenant with their health. */
export const webhooksQuery = (tenantId: string) =>
  queryOptions({
    queryKey: ['webhooks', tenantId],
    queryFn: () => call('GET /webhooks', { tenantId }),
    ...live,
  });
