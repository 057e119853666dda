import type { IncomingHttpHeaders } from 'node:http';
import { SourceError } from '../connector.js';
import { NotJson, parseJson } from '../json/parse-json.js';
import { type Authentication, withoutSecrets } from './authentication.js';
import { explanation, RefusedAnswer, StatusError, TransientFailure } from './failures.js';
import { type HttpAnswer, type HttpRequest, type HttpTransport, parseSourceUrl, readWhole } from './http-transport.js';
import { backoffMs, type RateHeaders, rateWaitMs, retryAfterMs, WaitBudget } from './waiting.js';

export interface ApiSettings {
  /** Paths are below it, and nothing of another origin is ever called. */
  baseUrl: string;
  auth?: Authentication;
  headers?: Readonly<Record<string, string>>;
  /** Where the service tells its limits: calls wait until they are welcome. */
  rate?: RateHeaders;
  /**
   * For a service that says by other means than 429 that it is called too often: milliseconds to wait at least, 0 if it does not
   * say; undefined of every other answer.
   */
  throttled?(answer: Refusal): number | undefined;
  /** What an error says, where its body is no JSON of the usual forms. */
  explain?(body: string): { code?: string; text?: string };
}

export interface ApiRequest {
  query?: Readonly<Record<string, string | number | boolean | undefined>>;
  headers?: Readonly<Record<string, string>>;
  /** A body, one of the three; `text` needs a content-type among the headers. */
  json?: unknown;
  form?: Readonly<Record<string, string>>;
  text?: string;
  /** What the answer is read as; JSON if not given. */
  as?: 'json' | 'text';
}

export interface ApiAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  /** Parsed JSON (undefined for an answer without content), or text where that was asked for. */
  body: unknown;
  /** What was asked, for messages: method and URL without its query, which may hold what is not to be shown. */
  from: string;
}

/** The requests for one page of a source: they share its signal and how long may be waited. */
export interface PageRequests {
  get(path: string, request?: ApiRequest): Promise<ApiAnswer>;
  /** For services that are asked by POST. All requests read, so all of them may be sent again. */
  post(path: string, request?: ApiRequest): Promise<ApiAnswer>;
  /** GETs a link that an answer gave, if it leads to the same origin. */
  follow(link: string, request?: ApiRequest): Promise<ApiAnswer>;
}

interface Call<T> {
  method: 'GET' | 'POST';
  url: URL;
  /** Of one try. */
  outgoing: () => Pick<HttpRequest, 'headers' | 'body'>;
  /** Statuses beside 2xx that are answers. */
  accept: readonly number[];
  boundMs: number;
  signal: AbortSignal;
  budget: WaitBudget;
  receive: (answer: HttpAnswer) => Promise<T>;
}

/** An answer that is no success, or only looks like one. */
export interface Refusal {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

class LooksLikeSuccess extends Error {
  constructor(readonly refusal: Refusal) {
    super();
  }
}

const redirects = new Set([301, 302, 303, 307, 308]);
const passing = new Set([408, 425, 429, 500, 502, 503, 504]);
const maxRedirects = 3;

/**
 * A JSON API below one URL. A request is sent again after failures of the network and statuses that pass (429, 5xx), no sooner than
 * `Retry-After` says, and once after a 401 with new credentials. Throws SourceError (StatusError for a status) without any secret.
 */
export class ApiClient {
  private readonly base: URL;
  /** A time of `performance.now()`: before it the service wants no call. */
  private notBefore = 0;

  constructor(
    private readonly transport: HttpTransport,
    private readonly settings: ApiSettings,
  ) {
    this.base = parseSourceUrl(settings.baseUrl);
    if (this.base.search !== '' || this.base.hash !== '')
      throw new SourceError('url must not have a query or fragment');
  }

  /** `budget` is for requests on behalf of a page that waits already. */
  page(signal: AbortSignal, budget = new WaitBudget(this.transport.limits.waitMs)): PageRequests {
    const ask = (method: 'GET' | 'POST', url: URL, request: ApiRequest = {}) =>
      this.ask(method, url, request, signal, budget);
    return {
      get: async (path, request) => ask('GET', this.below(path), request),
      post: async (path, request) => ask('POST', this.below(path), request),
      follow: async (link, request) => ask('GET', this.linked(link, this.base, 'a link'), request),
    };
  }

  /**
   * GETs a URL of this origin and hands each answer that is a success, or one of `accept`, to `receive` while its body is on its
   * way. `headers` are asked for before each try: what `receive` has got until it failed need not come again.
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
    return this.send({ method: 'GET', url: target, outgoing, accept, boundMs, signal, budget, receive });
  }

  /** True of a link that `follow` would follow. */
  leadsTo(link: string): boolean {
    const url = URL.canParse(link, this.base.href) ? new URL(link, this.base) : undefined;
    return url?.origin === this.base.origin && url.username === '' && url.password === '';
  }

  private below(path: string): URL {
    const url = new URL(this.base);
    const query = path.indexOf('?');
    url.pathname = this.base.pathname.replace(/\/+$/, '') + (query < 0 ? path : path.slice(0, query));
    url.search = query < 0 ? '' : path.slice(query);
    return url;
  }

  private linked(link: string, from: URL, what: string): URL {
    const url = URL.canParse(link, from.href) ? new URL(link, from) : undefined;
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
    const from = shown(method, url);
    const outgoing = () => bodyOf(request, { ...request.headers });
    const receive = async ({ status, headers, chunks }: HttpAnswer): Promise<ApiAnswer> => {
      const bytes = await readWhole(chunks, bodyBytes);
      const refusal = { status, headers, body: bytes };
      if (this.settings.throttled?.(refusal) !== undefined) throw new LooksLikeSuccess(refusal);
      if (request.as === 'text') return { status, headers, body: bytes.toString('utf8'), from };
      return { status, headers, body: status === 204 ? undefined : parseJson(bytes), from };
    };
    return this.send({ method, url, outgoing, accept: [], boundMs, signal, budget, receive });
  }

  /** Tries until an answer is received, or until nothing or nobody wants another try. */
  private async send<T>(call: Call<T>): Promise<T> {
    const { method, url, signal, budget } = call;
    const from = shown(method, url);
    const { attempts, firstPauseMs, longestPauseMs } = this.transport.limits;
    let target = url;
    let failures = 0;
    let hops = 0;
    let renewed = false;
    for (;;) {
      await budget.wait(this.notBefore - performance.now(), signal, `${from} is at its rate limit`);
      const told = await this.attempt(call, target, from);
      if ('received' in told) return told.received;
      const { refusal } = told;
      if (refusal && redirects.has(refusal.status) && method === 'GET' && hops < maxRedirects) {
        hops += 1;
        target = this.linked(refusal.headers.location ?? '', target, 'a redirect');
        continue;
      }
      if (refusal?.status === 401 && !renewed && this.settings.auth?.renew?.()) {
        renewed = true;
        continue;
      }
      if (refusal && !this.passes(refusal)) throw this.statusError(from, refusal);
      const asked = refusal && this.askedToWait(refusal);
      if (asked === undefined) failures += 1;
      const message = refusal ? this.statusError(from, refusal).message : `${from} failed: ${told.reason}`;
      if (failures >= attempts) throw new SourceError(`${message} (tried ${failures} times)`);
      // Never sooner than asked; a little later, so that not all come back at once.
      const pause =
        asked === undefined
          ? backoffMs(failures, firstPauseMs, longestPauseMs)
          : asked + (Math.random() * firstPauseMs) / 2;
      await budget.wait(pause, signal, message);
    }
  }

  private async attempt<T>(
    { method, outgoing, accept, boundMs, signal, budget, receive }: Call<T>,
    url: URL,
    from: string,
  ): Promise<{ received: T } | { refusal?: Refusal; reason?: string }> {
    const { auth, rate } = this.settings;
    const { headers, body } = outgoing();
    const request: HttpRequest = {
      method,
      url,
      headers: { ...this.settings.headers, ...headers },
      ...(body !== undefined && { body }),
    };
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
          return { refusal: { status, headers, body: await readWhole(chunks, this.transport.limits.bodyBytes) } };
        },
      );
    } catch (error) {
      if (error instanceof LooksLikeSuccess) return { refusal: error.refusal };
      // An answer that is no JSON may be one that was cut off.
      if (error instanceof TransientFailure || error instanceof NotJson) return { reason: this.hide(error.message) };
      if (error instanceof RefusedAnswer) throw new SourceError(this.hide(`${from} failed: ${error.message}`));
      throw error;
    }
  }

  /** True of what another try may mend. Some say 403 where they mean 429, and tell so by when to come back. */
  private passes(refusal: Refusal): boolean {
    if (passing.has(refusal.status) || this.settings.throttled?.(refusal) !== undefined) return true;
    return refusal.status === 403 && (this.askedToWait(refusal) ?? 0) > 0;
  }

  private askedToWait(refusal: Refusal): number | undefined {
    const { rate, throttled } = this.settings;
    const wait = retryAfterMs(refusal.headers);
    if (wait !== undefined) return wait;
    return (rate && rateWaitMs(rate, refusal.headers)) || throttled?.(refusal) || undefined;
  }

  private statusError(from: string, { status, body }: Refusal): StatusError {
    const { code, text } = (this.settings.explain ?? explanation)(body.toString('utf8'));
    const said = [code, text].filter((part) => part !== undefined).join(': ');
    const message = this.hide(`${from} answered ${status}${said && ` (${said})`}`);
    return new StatusError(message, status, code && this.hide(code));
  }

  private hide(text: string): string {
    return withoutSecrets(text, this.settings.auth?.secrets() ?? []);
  }
}

/** Without the query, which may hold what is not to be shown. */
function shown(method: string, url: URL): string {
  return `${method} ${url.origin}${url.pathname}`;
}

function bodyOf(
  { json, form, text }: ApiRequest,
  headers: Readonly<Record<string, string>>,
): Pick<HttpRequest, 'headers' | 'body'> {
  if (json !== undefined) {
    return { headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(json) };
  }
  if (form) {
    const type = 'application/x-www-form-urlencoded';
    return { headers: { 'content-type': type, ...headers }, body: new URLSearchParams(form).toString() };
  }
  return { headers, ...(text !== undefined && { body: text }) };
}
