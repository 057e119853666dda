import { callBelow, createBrowserClient, type WebhookList } from '@idsync/client/operator';
import { queryOptions } from '@tanstack/react-query';
import { cursorPages, live } from '../data/query-client';
import type { DeliverySearch } from '../data/searches';
import { Store } from '../data/store';
import { LinkKey } from './link-key';

const linkKey = new LinkKey(() => sessionStorage);
/** The key of the link; none if it has expired or was revoked. */
export const openKey = new Store(linkKey.value);

/** Takes the key from the fragment of an address. Returns whether it has one. */
export function takeKey(fragment: string): boolean {
  const isTaken = linkKey.take(fragment);
  if (isTaken) openKey.set(linkKey.value);
  return isTaken;
}

async function send(request: Request): Promise<Response> {
  const key = linkKey.value;
  if (key !== undefined) request.headers.set('x-api-key', key);
  const response = await fetch(request);
  // Not if another link was opened meanwhile.
  if (response.status === 401 && linkKey.value === key) {
    linkKey.forget();
    openKey.set(undefined);
  }
  return response;
}

/** Typed requests with the key of the link. Cookies of the origin, such as an operator's session, are not sent. */
const client = createBrowserClient({
  baseUrl: location.origin,
  fetch: (request) => send(new Request(request, { credentials: 'omit' })),
});
export const call = callBelow(client, '/v1/webhooks');

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

/** Rights of the link. */
export type Rights = NonNullable<WebhookList['portal']>;

export const maySend = ({ access }: Rights): boolean => access !== 'read';
export const mayChange = ({ access }: Rights): boolean => access === 'change';
