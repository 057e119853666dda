import { callBelow, createBrowserClient } from '@idsync/client/operator';
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
