import type { ApiClient } from '../http/api-client.js';
import { StatusError } from '../http/failures.js';
import { valueAt } from '../json/json-value.js';

/** What a service says it can do. */
export interface ScimService {
  filters: boolean;
  sorts: boolean;
  pagesByCursor: boolean;
  /** The service's clock as it answered; undefined if it does not tell. */
  now: Date | undefined;
}

/** Asks for the service provider's configuration (RFC 7644, 4). A service without one is taken to do what all must. */
export async function askService(client: ApiClient, signal: AbortSignal): Promise<ScimService> {
  try {
    const { body, headers } = await client.page(signal).get('/ServiceProviderConfig');
    const supports = (name: string) => valueAt(valueAt(body, name), 'supported') === true;
    const now = new Date(headers.date ?? '');
    return {
      filters: supports('filter'),
      sorts: supports('sort'),
      pagesByCursor: valueAt(valueAt(body, 'pagination'), 'cursor') === true,
      now: Number.isNaN(now.getTime()) ? undefined : now,
    };
  } catch (error) {
    if (!isMissing(error)) throw error;
    return { filters: false, sorts: false, pagesByCursor: false, now: undefined };
  }
}

/** True of an endpoint that there is not, or not for us. */
function isMissing(error: unknown): boolean {
  return error instanceof StatusError && [403, 404, 405, 501].includes(error.status);
}
