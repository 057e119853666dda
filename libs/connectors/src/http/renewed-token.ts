import { SourceError } from '../connector.js';
import { valueAt } from '../json/json-value.js';
import { ApiClient, type PageRequests } from './api-client.js';
import type { Authentication } from './authentication.js';
import type { HttpTransport } from './http-transport.js';

export interface Token {
  token: string;
  /** If absent, the token is valid until it is rejected. */
  expiresInSeconds?: number;
}

/** Provides a bearer token of `issuer`, renewed before it expires and once when it is rejected. */
export function renewedToken(issuer: ApiClient, fetchToken: (ask: PageRequests) => Promise<Token>): Authentication {
  let current: { token: string; until: number } | undefined;
  return {
    async headers(_, signal, budget) {
      if (!current || performance.now() >= current.until) {
        const asked = performance.now();
        const { token, expiresInSeconds = Number.POSITIVE_INFINITY } = await fetchToken(issuer.page(signal, budget));
        // Renewed a minute before expiry, because a request may take that long; for a short lifetime, a tenth of it
        // before.
        const spare = Math.min(60, expiresInSeconds / 10);
        current = { token, until: asked + (expiresInSeconds - spare) * 1000 };
      }
      return { authorization: `Bearer ${current.token}` };
    },
    renew() {
      const had = current !== undefined;
      current = undefined;
      return had;
    },
    secrets: () => (current ? [current.token] : []),
  };
}

export interface TokenGrant {
  tokenUrl: string;
  /** Creates the posted form for each request, because a JWT assertion is signed each time. */
  form: () => Record<string, string> | Promise<Record<string, string>>;
  /** The authentication of the client, if it is not part of the form. */
  auth?: Authentication;
  /** Values of the form that no message may contain. */
  secrets?: readonly string[];
}

/** Provides a token of an OAuth 2 token endpoint for the grant in the form. */
export function oauthToken(
  transport: HttpTransport,
  { tokenUrl, form, auth, secrets = [] }: TokenGrant,
): Authentication {
  const hidden = [...secrets, ...(auth?.secrets() ?? [])];
  const issuer = new ApiClient(transport, {
    baseUrl: tokenUrl,
    auth: { headers: auth ? (...about) => auth.headers(...about) : async () => ({}), secrets: () => hidden },
  });
  const token = renewedToken(issuer, async (ask) => {
    const { body, from } = await ask.post('', { form: await form() });
    const found = valueAt(body, 'access_token');
    if (typeof found !== 'string' || found === '') throw new SourceError(`${from} returned no access_token`);
    const type = valueAt(body, 'token_type');
    if (typeof type === 'string' && type.toLowerCase() !== 'bearer') {
      throw new SourceError(`${from} returned a token that is not a bearer token`);
    }
    const seconds = Number(valueAt(body, 'expires_in'));
    return { token: found, ...(seconds > 0 && { expiresInSeconds: seconds }) };
  });
  return { ...token, secrets: () => [...hidden, ...token.secrets()] };
}

export interface ClientCredentials {
  tokenUrl: string;
  clientId: string;
  clientSecret: string;
  scope?: string | undefined;
  /** Where id and secret are sent: in a header, which the standard prefers, or in the form. */
  send?: 'header' | 'form';
}

/** OAuth 2 client credentials (RFC 6749, 4.4). */
export function clientCredentials(transport: HttpTransport, client: ClientCredentials): Authentication {
  const { tokenUrl, clientId, clientSecret, scope, send = 'header' } = client;
  const grant = { grant_type: 'client_credentials', ...(scope !== undefined && { scope }) };
  const secrets = [clientSecret, encodeURIComponent(clientSecret)];
  if (send === 'form') {
    const form = { ...grant, client_id: clientId, client_secret: clientSecret };
    return oauthToken(transport, { tokenUrl, form: () => form, secrets });
  }
  // RFC 6749, 2.3.1 requires form encoding of both before they are joined.
  const encoded = Buffer.from(`${encodeForm(clientId)}:${encodeForm(clientSecret)}`).toString('base64');
  const auth: Authentication = {
    headers: async () => ({ authorization: `Basic ${encoded}` }),
    secrets: () => [encoded],
  };
  return oauthToken(transport, { tokenUrl, form: () => grant, auth, secrets });
}

function encodeForm(text: string): string {
  return new URLSearchParams({ v: text }).toString().slice(2);
}
