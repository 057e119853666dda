import type { ApiClient } from '../http/api-client.js';
import { StatusError } from '../http/failures.js';
import { valueAt } from '../json/json-value.js';

/** The declared capabilities of a service. */
export interface ScimService {
  filters: boolean;
  sorts: boolean;
  pagesByCursor: boolean;
  /** The time of the service; undefined if it does not report one. */
  now: Date | undefined;
}

/**
 * Reads the ServiceProviderConfig (RFC 7644, 4). A service without one is assumed to support only the mandatory
 * features.
 */
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
