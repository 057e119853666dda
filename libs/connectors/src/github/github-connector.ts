import { createPrivateKey, type KeyObject } from 'node:crypto';
import { canReadOne, type GithubConfig, githubFields } from '@idsync/contracts';
import { type Connector, SourceError } from '../connector.js';
import { ApiClient, type Refusal } from '../http/api-client.js';
import { type ApiAccess, secretOf } from '../http/api-source.js';
import { renewedToken, signedJwt } from '../http/authenticate.js';
import { type Authentication, bearer } from '../http/authentication.js';
import type { HttpTransport } from '../http/http-transport.js';
import { isObject, valueAt } from '../json/json-value.js';
import { type ListingAccess, listingConnector } from '../listing/listing-connector.js';
import { machines } from './github-machines.js';
import { members } from './github-members.js';

/**
 * Creates a connector for the members or machine identities of a GitHub organization. `throttlePauseMs` is for tests.
 */
export function githubConnector(config: GithubConfig, access: ListingAccess, throttlePauseMs?: number): Connector {
  const isMachines = access.records === 'machine_identity';
  const auth = githubAuth(config, access);
  return listingConnector({
    access: { ...access, ca: config.ca },
    readsOne: canReadOne('github', access.records),
    mapping: {
      externalId: config.external_id ?? (isMachines ? '@id' : 'databaseId'),
      fields: config.fields ?? githubFields[access.records],
    },
    listings: (transport) => {
      const { rest, graphql } = githubClients(transport, config, auth(transport), throttlePauseMs);
      return isMachines ? machines(rest, config) : [members(graphql, config)];
    },
  });
}

/** Creates the authentication for each read. Throws SourceError for invalid secrets. */
function githubAuth(config: GithubConfig, access: ApiAccess): (transport: HttpTransport) => Authentication {
  const { auth, url } = config;
  if (auth.type === 'token') {
    const token = bearer(secretOf(access, 'token'));
    return () => token;
  }
  const key = privateKey(secretOf(access, 'private_key'));
  return (transport) => {
    let assertion = '';
    const app: Authentication = {
      headers: async () => {
        assertion = appToken(auth.app_id, key);
        return { authorization: `Bearer ${assertion}` };
      },
      secrets: () => (assertion === '' ? [] : [assertion]),
    };
    const issuer = new ApiClient(transport, { baseUrl: url, auth: app, headers: githubHeaders });
    return renewedToken(issuer, async (ask) => {
      const { body, from } = await ask.post(`/app/installations/${auth.installation_id}/access_tokens`, { json: {} });
      const token = valueAt(body, 'token');
      if (typeof token !== 'string' || token === '') throw new SourceError(`${from} returned no token`);
      const left = (Date.parse(String(valueAt(body, 'expires_at'))) - Date.now()) / 1000;
      // With a wrong local clock the lifetime is negative. The token is then used until it is rejected.
      return { token, ...(left > 0 && { expiresInSeconds: left }) };
    });
  };
}

/** Creates a JWT of the app (RS256) valid for nine minutes. GitHub allows ten, and clocks may differ by a minute. */
function appToken(appId: string, key: KeyObject): string {
  const seconds = Math.floor(Date.now() / 1000);
  return signedJwt(key, { iat: seconds - 60, exp: seconds + 9 * 60, iss: appId, jti: undefined });
}

function privateKey(pem: string): KeyObject {
  try {
    const key = createPrivateKey(pem);
    if (key.asymmetricKeyType === 'rsa') return key;
  } catch {
    // The cause could contain a part of the key.
  }
  throw new SourceError('the secret "private_key" is not an RSA private key in PEM format', 'misconfigured');
}

const githubHeaders = { accept: 'application/vnd.github+json', 'x-github-api-version': '2022-11-28' };

const rate = { remaining: 'x-ratelimit-remaining', reset: 'x-ratelimit-reset' };

/** Pause that GitHub recommends after throttling without a time to wait. */
const throttlePauseMs = 60_000;

interface GithubClients {
  rest: ApiClient;
  /** A separate client, because GraphQL has its own rate limit. */
  graphql: ApiClient;
}

function githubClients(
  transport: HttpTransport,
  { url }: GithubConfig,
  auth: Authentication,
  pauseMs = throttlePauseMs,
): GithubClients {
  const settings = { auth, rate, headers: githubHeaders, throttled: throttledFor(pauseMs) };
  return {
    rest: new ApiClient(transport, { ...settings, baseUrl: url }),
    // On GitHub Enterprise Server its path is not below the REST API.
    graphql: new ApiClient(transport, { ...settings, baseUrl: url.replace(/\/v3\/*$/, '') }),
  };
}

/** Recognizes the secondary rate limit by its text, and transient GraphQL errors in responses with status 200. */
function throttledFor(pauseMs: number) {
  return ({ status, body }: Refusal): number | undefined => {
    if (status === 403 && /secondary rate limit|abuse detection/i.test(body.toString('utf8'))) return pauseMs;
    if (status !== 200 || !body.subarray(0, 4096).includes('"errors"')) return undefined;
    const errors = errorsIn(body.toString('utf8'));
    if (errors.some(({ type }) => type === 'RATE_LIMITED')) return pauseMs;
    return errors.some(({ message }) => /^Something went wrong while executing/.test(String(message))) ? 0 : undefined;
  };
}

function errorsIn(body: string): { type?: unknown; message?: unknown }[] {
  try {
    const { errors } = JSON.parse(body) as { errors?: unknown };
    return Array.isArray(errors) ? errors.filter(isObject) : [];
  } catch {
    return [];
  }
}
