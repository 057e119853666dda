import { queryOptions } from '@tanstack/react-query';
import { call, type Input } from '../../data/api';
import { cursorPages } from '../../data/pages';
import { live } from '../../data/query-client';

export const webhookQuery = (tenantId: string, webhookId: string) =>
  queryOptions({
    queryKey: ['webhooks', tenantId, webhookId],
    queryFn: () => call('GET /webhooks/{webhookId}', { tenantId, webhookId }),
    ...live,
  });

export const deliveriesQuery = (tenantId: string, filters: Input<'GET /deliveries'>) => ({
  ...cursorPages(['deliveries', tenantId, filters], (cursor) =>
    call('GET /deliveries', { tenantId }, { ...filters, limit: 50, cursor }),
  ),
  ...live,
});

export const deliveryQuery = (tenantId: string, deliveryId: string) =>
  queryOptions({
    queryKey: ['delivery', tenantId, deliveryId],
    queryFn: () => call('GET /deliveries/{deliveryId}', { tenantId, deliveryId }),
    ...live,
  });
