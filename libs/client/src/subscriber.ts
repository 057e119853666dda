import createFetchClient, { type Client } from 'openapi-fetch';
import type { paths } from './generated/api.js';

/** The routes of webhooks, as far as a portal link reaches them. */
export type SubscriberPaths = {
  [Path in keyof paths as Path extends `/v1/webhooks${string}` ? Path : never]: paths[Path];
};
export type SubscriberClient = Client<SubscriberPaths>;

/** Typed requests to `/v1/webhooks`, without retries and without modules of Node, for programs in a browser. */
export function createSubscriberClient(options: {
  baseUrl: string;
  fetch: (request: Request) => Promise<Response>;
}): SubscriberClient {
  return createFetchClient<SubscriberPaths>(options);
}
