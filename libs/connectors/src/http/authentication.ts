import { SourceError } from '../connector.js';
import type { HttpRequest } from './http-transport.js';
import type { WaitBudget } from './waiting.js';

export interface Authentication {
  /**
   * Returns headers for one attempt; may request a token within the waiting time of the page. Signatures cover
   * `request`.
   */
  headers(request: HttpRequest, signal: AbortSignal, budget: WaitBudget): Promise<Record<string, string>>;
  /** Called after a 401: drops a renewable credential. Returns whether a retry may succeed. */
  renew?(): boolean;
  /** Values that no message may contain. */
  secrets(): readonly string[];
}

export function bearer(token: string): Authentication {
  return headerAuthentication('authorization', `Bearer ${token}`, [token]);
}

export function basic(user: string, password: string): Authentication {
  if (user.includes(':'))
    throw new SourceError('the user name for basic authentication must not contain a colon', 'misconfigured');
  const encoded = Buffer.from(`${user}:${password}`).toString('base64');
  return headerAuthentication('authorization', `Basic ${encoded}`, [password, encoded]);
}

/** Sends a key in a header that the service defines, such as `x-api-key`. */
export function headerAuthentication(
  name: string,
  value: string,
  secrets: readonly string[] = [value],
): Authentication {
  // A line break would start another header. The message must not contain the value.
  if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) {
    throw new SourceError('a secret contains characters that cannot be sent in a header', 'misconfigured');
  }
  return { headers: async () => ({ [name]: value }), secrets: () => secrets };
}
