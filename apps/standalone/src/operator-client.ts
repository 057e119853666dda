import { retrying } from '@idsync/client';
import { callBelow, createBrowserClient, type Installation } from '@idsync/client/operator';

/** About a minute with the waits between the attempts: long enough for a restart of the database. */
const retry = { retries: 7, timeoutMs: 30_000 };

/** Sends the requests of the demo, and repeats those that may be. */
export function operatorClient(baseUrl: string, adminToken: string) {
  const authorized = (request: Request, init?: RequestInit) => {
    request.headers.set('authorization', `Bearer ${adminToken}`);
    return fetch(request, init);
  };
  return callBelow<Installation>(createBrowserClient({ baseUrl, fetch: retrying(authorized, retry) }), '/admin/v1');
}

export type OperatorClient = ReturnType<typeof operatorClient>;
