import { queryOptions } from '@tanstack/react-query';
import type { deliveryStatuses } from '../../components/delivery-statuses';
import { answerOf, api } from '../../data/api';
import { cursorPages } from '../../data/pages';
import { live } from '../../data/query-client';

export const webhookQuery = (tenantId: string, webhookId: string) =>
  queryOptions({
    queryKey: ['webhooks', tenantId, webhookId],
    queryFn: () =>
      answerOf(
        api.GET('/admin/v1/tenants/{tenantId}/webhooks/{webhookId}', { params: { path: { tenantId, webhookId } } }),
      ),
    ...live,
  });

interface DeliveryFilters {
  webhook_id?: string;
  status?: (typeof deliveryStatuses)[number];
  event_type?: string;
}

export const deliveriesQuery = (tenantId: string, filters: DeliveryFilters) => ({
  ...cursorPages(['deliveries', tenantId, filters], (cursor) =>
    answerOf(
      api.GET('/admin/v1/tenants/{tenantId}/deliveries', {
        params: { path: { tenantId }, query: { ...filters, limit: 50, ...(cursor && { cursor }) } },
      }),
    ),
  ),
  ...live,
});

export const deliveryQuery = (tenantId: string, deliveryId: string) =>
  queryOptions({
    queryKey: ['delivery', tenantId, deliveryId],
    queryFn: () =>
      answerOf(
        api.GET('/admin/v1/tenants/{tenantId}/deliveries/{deliveryId}', { params: { path: { tenantId, deliveryId } } }),
      ),
    ...live,
  });
