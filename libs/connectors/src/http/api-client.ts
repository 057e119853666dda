import type { IncomingHttpHeaders } from 'node:http';
import { parseUrl } from '@idsync/contracts';
import { SourceError, type SourceErrorDetails } from '../connector.js';
import { NotJson, parseJson } from '../json/parse-json.js';
import { SecretFilter } from '../secrets/secret-filter.js';
import type { Authentication } from './authentication.js';
import { documentedNames, type Explanation, explanation } from './explanation.js';
import { RefusedAnswer, StatusError, TransientFailure, UnknownHost } from './failures.js';
import { type HttpAnswer, type HttpRequest, type HttpTransport, parseSourceUrl, readBody } from './http-transport.js';
import { backoffMs, type RateHeaders, rateWaitMs, retryAfterMs, WaitBudget } from './waiting.js';

export interface ApiSettings {
  /** Base of all paths. Other origins are never called. */
  baseUrl: string;
  auth?: Authentication;
  headers?: Readonly<Record<string, string>>;
  /** Headers in which the service reports its rate limit, so that calls wait until it resets. */
  rate?: RateHeaders;
  /**
   * Recognizes throttling that the service reports by other means than 429. Returns the milliseconds to wait at least,
   * 0 if unknown, and undefined for every other response.
   */
  throttled?(answer: Refusal): number | undefined;
  /** Parses error bodies that are not JSON in a common form. */
  explain?(body: string): Explanation;
}

export interface ApiRequest {
  query?: Readonly<Record<string, string | number | boolean | undefined>>;
  headers?: Readonly<Record<string, string>>;
  /** The body, at most one of the two. */
  json?: unknown;
  form?: Readonly<Record<string, string>>;
  /** Format of the response; JSON by default. */
  as?: 'json' | 'text';
  /** The path shown in messages, if the real path contains text of the source, such as an id or a link. */
  shownAs?: string;
}

export interface ApiAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  /** Parsed JSON (undefined for 204), or text if requested. */
  body: unknown;
  /** The request, for messages: method and URL without the query, which may be confidential. */
  from: string;
  /** Redacts the credentials of this client in text of the response. */
  said(text: string): string;
}

/** The requests for one page of a source, which share its signal and waiting time. */
export interface PageRequests {
  get(path: string, request?: ApiRequest): Promise<ApiAnswer>;
  /** For services that are queried by POST. All requests only read, so they may be retried. */
  post(path: string, request?: ApiRequest): Promise<ApiAnswer>;
  /** Requests a link of a response. Throws if it leads to another origin. */
  follow(link: string, request?: ApiRequest): Promise<ApiAnswer>;
}

interface Call<T> {
  method: 'GET' | 'POST';
  url: URL;
  /** The request, for messages. */
  from: string;
  /** The path, if `from` does not show it. */
  path?: string;
  /** Creates headers and body for one attempt. */
  outgoing: () => Pick<HttpRequest, 'headers' | 'body'>;
  /** Statuses other than 2xx that count as success. */
  accept: readonly number[];
  boundMs: number;
  signal: AbortSignal;
  budget: WaitBudget;
  receive: (answer: HttpAnswer) => Promise<T>;
}

/** A response that is not a success, or throttling with a status of success. */
export interface Refusal {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

class ThrottledWithSuccessStatus extends Error {
  constructor(readonly refusal: Refusal) {
    super();
  }
}

const redirects = new Set([301, 302, 303, 307, 308]);
const transientStatuses = new Set([408, 425, 429, 500, 502, 503, 504]);
const maxRedirects = 3;

/**
 * A client of the JSON API below one URL. Retries network failures and transient statuses (429, 5xx), not before
 * `Retry-After`, and retries once with new credentials after a 401. Throws SourceError (StatusError for a status)
 * without any secret.
 */
export class ApiClient {
  private readonly base: URL;
  /** The time by `performance.now()` when the rate limit resets. */
  private notBefore = 0;

  constructor(
    private readonly transport: HttpTransport,
    private readonly settings: ApiSettings,
  ) {
    this.base = parseSourceUrl(settings.baseUrl);
    if (this.base.search !== '' || this.base.hash !== '')
      throw new SourceError('url must not have a query or fragment', 'misconfigured');
  }

  /** `budget` is given for requests of a page that already has one. */
  page(signal: AbortSignal, budget = new WaitBudget(this.transport.limits.waitMs)): PageRequests {
    const ask = (method: 'GET' | 'POST', url: URL, request: ApiRequest = {}) =>
      this.ask(method, url, request, signal, budget);
    return {
      get: async (path, request) => ask('GET', this.below(path), { shownAs: path, ...request }),
      post: async (path, request) => ask('POST', this.below(path), { shownAs: path, ...request }),
      follow: async (link, request) => ask('GET', this.linked(link, this.base, 'a link'), request),
    };
  }

  /**
   * GETs a URL of this origin and passes each successful response (2xx or `accept`) to `receive` while its body
   * arrives. `headers` is called before each attempt, so that a retry can continue after the bytes that `receive` has
   * stored.
   */
  async download<T>(
    url: string,
    {
      headers,
      accept,
      signal,
    }: { headers: () => Record<string, string>; accept: readonly number[]; signal: AbortSignal },
    receive: (answer: HttpAnswer) => Promise<T>,
  ): Promise<T> {
    const { downloadMs: boundMs, waitMs } = this.transport.limits;
    const target = this.linked(url, this.base, 'a link');
    const outgoing = () => ({ headers: { accept: '*/*', ...headers() } });
    const budget = new WaitBudget(waitMs);
    const from = `GET ${target.origin}${target.pathname}`;
    return this.send({ method: 'GET', url: target, from, outgoing, accept, boundMs, signal, budget, receive });
  }

  /** Returns whether `follow` accepts a link. */
  leadsTo(link: string): boolean {
    const url = parseUrl(link, this.base);
    return url?.origin === this.base.origin && url.username === '' && url.password === '';
  }

  private below(path: string): URL {
    const url = new URL(this.base);
    url.pathname = withoutEndSlashes(this.base.pathname) + path;
    return url;
  }

  private linked(link: string, from: URL, what: string): URL {
    const url = parseUrl(link, from);
    if (!url || !this.leadsTo(url.href)) {
      throw new SourceError(`${this.base.origin} answered with ${what} to another origin, which is not followed`);
    }
    return url;
  }

  private async ask(
    method: 'GET' | 'POST',
    url: URL,
    request: ApiRequest,
    signal: AbortSignal,
    budget: WaitBudget,
  ): Promise<ApiAnswer> {
    for (const [name, value] of Object.entries(request.query ?? {})) {
      if (value !== undefined) url.searchParams.set(name, String(value));
    }
    const { exchangeMs: boundMs, bodyBytes } = this.transport.limits;
    const from = this.shown(method, request.shownAs);
    const said = (text: string) => this.hide(text);
    const outgoing = () => bodyOf(request);
    const receive = async ({ status, headers, chunks }: HttpAnswer): Promise<ApiAnswer> => {
      const bytes = await readBody(chunks, bodyBytes);
      const refusal = { status, headers, body: bytes };
      if (this.settings.throttled?.(refusal) !== undefined) throw new ThrottledWithSuccessStatus(refusal);
      if (request.as === 'text') return { status, headers, body: bytes.toString('utf8'), from, said };
      return { status, headers, body: status === 204 ? undefined : parseJson(bytes), from, said };
    };
    const path = from.endsWith(url.pathname) ? {} : { path: url.pathname };
    return this.send({ method, url, from, ...path, outgoing, accept: [], boundMs, signal, budget, receive });
  }

  /** Sends a request until it succeeds or no retry is allowed. */
  private async send<T>(call: Call<T>): Promise<T> {
    const { method, url, from, signal, budget } = call;
    const { attempts, firstPauseMs, longestPauseMs } = this.transport.limits;
    let target = url;
    let failures = 0;
    let hops = 0;
    let renewed = false;
    for (;;) {
      await budget.wait(this.notBefore - performance.now(), signal, `${from} is at its rate limit`);
      const outcome = await this.attempt(call, target);
      if ('received' in outcome) return outcome.received;
      const { refusal } = outcome;
      if (refusal && redirects.has(refusal.status) && method === 'GET' && hops < maxRedirects) {
        hops += 1;
        target = this.linked(refusal.headers.location ?? '', target, 'a redirect');
        continue;
      }
      if (refusal?.status === 401 && !renewed && this.settings.auth?.renew?.()) {
        renewed = true;
        continue;
      }
      if (refusal && !this.isTransient(refusal)) throw this.statusError(call, refusal);
      const asked = refusal && this.askedToWait(refusal);
      if (asked === undefined) failures += 1;
      const { message, code: usual, said } = refusal ? this.statusError(call, refusal) : outcome.failure;
      // A transient 400 or 403 is a rate limit.
      const code = refusal && !transientStatuses.has(refusal.status) ? 'rate_limited' : usual;
      if (failures >= attempts) {
        const transient = refusal !== undefined || outcome.failure.transient;
        throw new SourceError(`${message} (tried ${failures} times)`, { code, said, transient });
      }
      // A random delay after the requested time prevents simultaneous retries.
      const pause =
        asked === undefined
          ? backoffMs(failures, firstPauseMs, longestPauseMs)
          : asked + (Math.random() * firstPauseMs) / 2;
      await budget.wait(pause, signal, message, { code, said });
    }
  }

  private async attempt<T>(
    call: Call<T>,
    url: URL,
  ): Promise<{ received: T } | { refusal: Refusal } | { refusal?: undefined; failure: SourceError }> {
    const { method, outgoing, accept, boundMs, signal, budget, receive } = call;
    const { auth, rate } = this.settings;
    const { headers, body } = outgoing();
    const request: HttpRequest = { method, url, headers: { ...this.settings.headers, ...headers }, body };
    const authorized = await auth?.headers(request, signal, budget);
    try {
      return await this.transport.exchange(
        { ...request, headers: { ...request.headers, ...authorized } },
        signal,
        boundMs,
        async (answer) => {
          const { status, headers, chunks } = answer;
          if (rate) this.notBefore = performance.now() + rateWaitMs(rate, headers);
          if ((status >= 200 && status <= 299) || accept.includes(status)) return { received: await receive(answer) };
          return { refusal: { status, headers, body: await readBody(chunks, this.transport.limits.bodyBytes) } };
        },
      );
    } catch (error) {
      if (error instanceof ThrottledWithSuccessStatus) return { refusal: error.refusal };
      // Invalid JSON may come from a truncated response.
      if (error instanceof NotJson) return { failure: this.failed(call, error) };
      if (error instanceof TransientFailure) {
        const transient = !(error instanceof UnknownHost);
        return { failure: this.failed(call, error, { code: error.code, said: error.said, transient }) };
      }
      if (error instanceof RefusedAnswer) throw this.failed(call, error, error);
      throw error;
    }
  }

  /** Returns whether a retry may succeed. Some services throttle with 403 and a time to wait. */
  private isTransient(refusal: Refusal): boolean {
    if (transientStatuses.has(refusal.status) || this.settings.throttled?.(refusal) !== undefined) return true;
    return refusal.status === 403 && (this.askedToWait(refusal) ?? 0) > 0;
  }

  private askedToWait(refusal: Refusal): number | undefined {
    const { rate, throttled } = this.settings;
    const wait = retryAfterMs(refusal.headers);
    if (wait !== undefined) return wait;
    return (rate && rateWaitMs(rate, refusal.headers)) || throttled?.(refusal) || undefined;
  }

  private statusError<T>({ from, path }: Call<T>, { status, body }: Refusal): StatusError {
    const { code, text } = (this.settings.explain ?? explanation)(body.toString('utf8'));
    const names = documentedNames({ code, text });
    const message = `${from} answered ${status}${names && ` (${names})`}`;
    return new StatusError(message, status, { reason: code, said: this.said(path, code, text) });
  }

  private failed<T>(
    { from, path }: Call<T>,
    { message }: Error,
    { code, said, transient }: SourceErrorDetails = {},
  ): SourceError {
    return new SourceError(`${from} failed: ${message}`, { code, transient, said: this.said(path, said) });
  }

  private said(...parts: (string | undefined)[]): string | undefined {
    const text = parts.filter((part) => part !== undefined).join(': ');
    return text === '' ? undefined : this.hide(text);
  }

  /** Redacts credentials that only this client knows, such as an issued token. */
  private hide(text: string): string {
    return new SecretFilter(this.settings.auth?.secrets() ?? []).text(text);
  }

  /** Omits the query, which may be confidential. */
  private shown(method: string, path: string | undefined): string {
    if (path === undefined) return `${method} ${this.base.origin} (a link)`;
    return `${method} ${this.base.origin}${withoutEndSlashes(this.base.pathname)}${path}`;
  }
}

function bodyOf({ json, form, headers }: ApiRequest): Pick<HttpRequest, 'headers' | 'body'> {
  if (json !== undefined) {
    return { headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(json) };
  }
  if (form) {
    const type = 'application/x-www-form-urlencoded';
    return { headers: { 'content-type': type, ...headers }, body: new URLSearchParams(form).toString() };
  }
  return { headers: { ...headers } };
}

/** Scans once from the end, because a regular expression would restart at each slash. */
export function withoutEndSlashes(path: string): string {
  let end = path.length;
  while (path[end - 1] === '/') end -= 1;
  return path.slice(0, end);
}
