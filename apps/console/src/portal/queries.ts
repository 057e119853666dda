import { queryOptions } from '@tanstack/react-query';
import type { DeliverySearch } from '../components/delivery-filters';
import { cursorPages } from '../data/pages';
import { live } from '../data/query-client';
import { call } from './api';

/** The webhooks of the link, and what it may do. */
export const linkQuery = queryOptions({
  queryKey: ['link'],
  queryFn: () => call('GET ', {}),
  ...live,
});

export const webhookQuery = (id: string) =>
  queryOptions({
    queryKey: ['webhook', id],
    queryFn: () => call('GET /{id}', { id }),
    ...live,
  });

export const deliveriesQuery = (id: string, { status, type }: DeliverySearch) => ({
  ...cursorPages(['deliveries', id, { status, type }], (cursor) =>
    call('GET /{id}/deliveries', { id }, { status, event_type: type, limit: 50, cursor }),
  ),
  ...live,
});

export const deliveryQuery = (id: string, deliveryId: string) =>
  queryOptions({
    queryKey: ['delivery', id, deliveryId],
    queryFn: () => call('GET /{id}/deliveries/{deliveryId}', { id, deliveryId }),
    ...live,
  });
