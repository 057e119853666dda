import { queryOptions } from '@tanstack/react-query';
import type { DeliverySearch } from '../components/delivery-filters';
import { cursorPages } from '../data/pages';
import { live } from '../data/query-client';
import { answerOf, api } from './api';

/** The webhooks of the link, and what it may do. */
export const linkQuery = queryOptions({
  queryKey: ['link'],
  queryFn: () => answerOf(api.GET('/v1/webhooks')),
  ...live,
});

export const webhookQuery = (id: string) =>
  queryOptions({
    queryKey: ['webhook', id],
    queryFn: () => answerOf(api.GET('/v1/webhooks/{id}', { params: { path: { id } } })),
    ...live,
  });

export const deliveriesQuery = (id: string, { status, type }: DeliverySearch) => ({
  ...cursorPages(['deliveries', id, { status, type }], (cursor) =>
    answerOf(
      api.GET('/v1/webhooks/{id}/deliveries', {
        params: { path: { id }, query: { status, event_type: type, limit: 50, cursor } },
      }),
    ),
  ),
  ...live,
});

export const deliveryQuery = (id: string, deliveryId: string) =>
  queryOptions({
    queryKey: ['delivery', id, deliveryId],
    queryFn: () =>
      answerOf(api.GET('/v1/webhooks/{id}/deliveries/{deliveryId}', { params: { path: { id, deliveryId } } })),
    ...live,
  });
