import { SourceError } from '../connector.js';
import type { HttpRequest } from './http-transport.js';
import type { WaitBudget } from './waiting.js';

/** How a client says who it is. */
export interface Authentication {
  /** Headers for one attempt; may ask a token service, for which the page waits. A signature covers the given request. */
  headers(request: HttpRequest, signal: AbortSignal, budget: WaitBudget): Promise<Record<string, string>>;
  /** After a 401: drops what can be had anew. True if another try may go better. */
  renew?(): boolean;
  /** What must stand in no message. */
  secrets(): readonly string[];
}

export function bearer(token: string): Authentication {
  return headerAuthentication('authorization', `Bearer ${token}`, [token]);
}

export function basic(user: string, password: string): Authentication {
  if (user.includes(':')) throw new SourceError('the user name for basic authentication must not contain a colon');
  const encoded = Buffer.from(`${user}:${password}`).toString('base64');
  return headerAuthentication('authorization', `Basic ${encoded}`, [password, encoded]);
}

/** A key in a header of the service's own choice, such as `x-api-key`. */
export function headerAuthentication(
  name: string,
  value: string,
  secrets: readonly string[] = [value],
): Authentication {
  // A line break would begin a header of its own; the message must not show the value.
  if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) {
    throw new SourceError('a secret contains characters that cannot be sent in a header');
  }
  return { headers: async () => ({ [name]: value }), secrets: () => secrets };
}

/** Secrets that a service or a library put into a text do not get further. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  return secrets.reduce((hidden, secret) => (secret === '' ? hidden : hidden.replaceAll(secret, '***')), text);
}
