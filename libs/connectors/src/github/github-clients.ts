import type { GithubConfig } from '@idsync/contracts';
import { ApiClient, type Refusal } from '../http/api-client.js';
import type { Authentication } from '../http/authentication.js';
import type { HttpTransport } from '../http/http-transport.js';
import type { RateHeaders } from '../http/waiting.js';
import { isObject } from '../json/json-value.js';

export const githubHeaders = { accept: 'application/vnd.github+json', 'x-github-api-version': '2022-11-28' };

const rate: RateHeaders = {
  remaining: 'x-ratelimit-remaining',
  reset: 'x-ratelimit-reset',
  resetIn: 'epoch_seconds',
};

/** What GitHub asks for where it says that it is called too often, but not for how long. */
const patienceMs = 60_000;

export interface GithubClients {
  rest: ApiClient;
  /** Its rate limit is one of its own. */
  graphql: ApiClient;
}

export function githubClients(
  transport: HttpTransport,
  { url }: GithubConfig,
  auth: Authentication,
  patience = patienceMs,
): GithubClients {
  const settings = { auth, rate, headers: githubHeaders, throttled: throttledFor(patience) };
  return {
    rest: new ApiClient(transport, { ...settings, baseUrl: url }),
    // On a server of one's own it stands beside the REST API, not below it.
    graphql: new ApiClient(transport, { ...settings, baseUrl: url.replace(/\/v3\/*$/, '') }),
  };
}

/** The secondary rate limit is told in words, and what GraphQL cannot do now in an answer that looks like success. */
function throttledFor(patience: number) {
  return ({ status, body }: Refusal): number | undefined => {
    if (status === 403 && /secondary rate limit|abuse detection/i.test(body.toString('utf8'))) return patience;
    if (status !== 200 || !body.subarray(0, 4096).includes('"errors"')) return undefined;
    const errors = errorsIn(body.toString('utf8'));
    if (errors.some(({ type }) => type === 'RATE_LIMITED')) return patience;
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
