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

/** Pause that GitHub recommends after throttling without a time to wait. */
const throttlePauseMs = 60_000;

export interface GithubClients {
  rest: ApiClient;
  /** A separate client, because GraphQL has its own rate limit. */
  graphql: ApiClient;
}

export function githubClients(
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
