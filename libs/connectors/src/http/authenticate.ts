import { createPrivateKey, type KeyObject, randomUUID, sign } from 'node:crypto';
import type { HttpAuth } from '@idsync/contracts';
import { SourceError } from '../connector.js';
import { valueAt } from '../json/json-value.js';
import { ApiClient, type PageRequests } from './api-client.js';
import { type ApiAccess, secretOf } from './api-source.js';
import { type Authentication, basic, bearer, headerAuthentication } from './authentication.js';
import type { HttpTransport } from './http-transport.js';

/** Creates the authentication from configuration and secrets. Throws SourceError if the secret is missing. */
export function authenticate(
  transport: HttpTransport,
  auth: HttpAuth,
  secrets: ApiAccess['secrets'],
): Authentication | undefined {
  const secret = (name: string) => secretOf({ secrets }, name);
  switch (auth.type) {
    case 'none':
      return undefined;
    case 'bearer':
      return bearer(secret('token'));
    case 'basic':
      return basic(auth.user, secret('password'));
    case 'header':
      return headerAuthentication(auth.name.toLowerCase(), secret('token'));
    case 'oauth2':
      return clientCredentials(transport, {
        tokenUrl: auth.token_url,
        clientId: auth.client_id,
        clientSecret: secret('client_secret'),
        scope: auth.scope,
        send: auth.send_credentials,
      });
  }
}

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

interface TokenGrant {
  tokenUrl: string;
  /** Creates the posted form for each request, because a JWT assertion is signed each time. */
  form: () => Record<string, string>;
  headers?: Record<string, string>;
  /** Values of the form and the headers that no message may contain. */
  secrets?: readonly string[];
}

/** Provides a token of an OAuth 2 token endpoint for the grant in the form. */
export function oauthToken(
  transport: HttpTransport,
  { tokenUrl, form, headers, secrets = [] }: TokenGrant,
): Authentication {
  const issuer = new ApiClient(transport, {
    baseUrl: tokenUrl,
    headers,
    auth: { headers: async () => ({}), secrets: () => secrets },
  });
  const token = renewedToken(issuer, async (ask) => {
    const { body, from } = await ask.post('', { form: form() });
    const found = valueAt(body, 'access_token');
    if (typeof found !== 'string' || found === '') throw new SourceError(`${from} returned no access_token`);
    const type = valueAt(body, 'token_type');
    if (typeof type === 'string' && type.toLowerCase() !== 'bearer') {
      throw new SourceError(`${from} returned a token that is not a bearer token`);
    }
    const seconds = Number(valueAt(body, 'expires_in'));
    return { token: found, ...(seconds > 0 && { expiresInSeconds: seconds }) };
  });
  return { ...token, secrets: () => [...secrets, ...token.secrets()] };
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
  const headers = { authorization: `Basic ${encoded}` };
  return oauthToken(transport, { tokenUrl, form: () => grant, headers, secrets: [...secrets, encoded] });
}

function encodeForm(text: string): string {
  return new URLSearchParams({ v: text }).toString().slice(2);
}

/** Parses a private key for RS256 in PEM. Errors do not contain any part of it. */
export function signingKey(pem: string, secret: string): KeyObject {
  let key: KeyObject;
  try {
    key = createPrivateKey(pem);
  } catch {
    throw new SourceError(`the secret "${secret}" does not contain a private key in PEM format`, 'misconfigured');
  }
  if (key.asymmetricKeyType !== 'rsa')
    throw new SourceError(`the secret "${secret}" contains a key that is not an RSA key`, 'misconfigured');
  return key;
}

/** Creates a JSON Web Token (RFC 7519) signed with RS256 that expires after five minutes. */
export function signedJwt(key: KeyObject, claims: Readonly<Record<string, unknown>>, keyId?: string): string {
  const now = Math.floor(Date.now() / 1000);
  const head = { alg: 'RS256', typ: 'JWT', ...(keyId !== undefined && { kid: keyId }) };
  const body = { iat: now, exp: now + 300, jti: randomUUID(), ...claims };
  const signed = [head, body].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
  return `${signed}.${sign('sha256', Buffer.from(signed), key).toString('base64url')}`;
}
