import { answerOf } from '@idsync/client/operator';
import { createSubscriberClient } from '@idsync/client/subscriber';
import { useSyncExternalStore } from 'react';
import { LinkKey } from './link-key';

export { answerOf };

export const linkKey = new LinkKey(() => sessionStorage);
const listeners = new Set<() => void>();

/** Ends the portal: the link has expired, or was revoked. */
function end(): void {
  linkKey.forget();
  changed();
}

export function changed(): void {
  for (const listener of listeners) listener();
}

export function useLinkKey(): string | undefined {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => linkKey.value,
  );
}

async function send(request: Request): Promise<Response> {
  const key = linkKey.value;
  if (key !== undefined) request.headers.set('x-api-key', key);
  const response = await fetch(request);
  // Not if another link was opened meanwhile.
  if (response.status === 401 && linkKey.value === key) end();
  return response;
}

/** Typed requests with the key of the link. Cookies of the origin, such as an operator's session, are not sent. */
export const api = createSubscriberClient({
  baseUrl: location.origin,
  fetch: (request) => send(new Request(request, { credentials: 'omit' })),
});
