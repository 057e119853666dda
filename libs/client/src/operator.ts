import createFetchClient, { type Client } from 'openapi-fetch';
import type { paths } from './generated/api.js';
import { writeQuery } from './query.js';

export type * from './generated/api.js';
export { answerOf, IdsyncError } from './idsync-error.js';

/** The routes of operators. */
export type OperatorPaths = { [Path in keyof paths as Path extends `/admin/v1/${string}` ? Path : never]: paths[Path] };
export type OperatorClient = Client<OperatorPaths>;

/**
 * Typed requests to `/admin/v1`, without retries and without modules of Node, for programs in a browser. `fetch` adds what
 * identifies the operator.
 */
export function createOperatorClient(options: {
  baseUrl: string;
  fetch: (request: Request) => Promise<Response>;
}): OperatorClient {
  return createFetchClient<OperatorPaths>({
    ...options,
    querySerializer: writeQuery,
  });
}
