import createFetchClient, { type Client } from 'openapi-fetch';
import type { paths } from './generated/api.js';
import { writeQuery } from './query.js';

export type * from './generated/api.js';
export { IdsyncError } from './idsync-error.js';
export { type Answer, callBelow, type Ids, type Input, type OperationName } from './operation.js';

export type Installation = '/admin/v1';
export type OneTenant = '/admin/v1/tenants/{tenantId}';

/**
 * Typed requests without retries and without modules of Node, for programs in a browser. `fetch` adds what identifies the
 * operator or the subscriber.
 */
export function createBrowserClient(options: {
  baseUrl: string;
  fetch: (request: Request) => Promise<Response>;
}): Client<paths> {
  return createFetchClient<paths>({ ...options, querySerializer: writeQuery });
}
