import { queryOptions } from '@tanstack/react-query';
import { answerOf, api } from './api';
import { live } from './query-client';

/** The webhooks of a tenant with their health. */
export const webhooksQuery = (tenantId: string) =>
  queryOptions({
    queryKey: ['webhooks', tenantId],
    queryFn: () => answerOf(api.GET('/admin/v1/tenants/{tenantId}/webhooks', { params: { path: { tenantId } } })),
    ...live,
  });
