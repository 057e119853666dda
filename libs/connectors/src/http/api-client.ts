import type { IncomingHttpHeaders } from 'node:http';
import { SourceError } from '../connector.js';
import { NotJson, parseJson } from '../json/parse-json.js';
import { type Authentication, withoutSecrets } from './authentication.js';
import { explanation, RefusedAnswer, StatusError, TransientFailure } from './failures.js';
import { type HttpAnswer, type HttpRequest, type HttpTransport, parseSourceUrl } from './http-transport.js';
import { backoffMs, type RateHeaders, rateWaitMs, retryAfterMs, WaitBudget } from './waiting.js';

export interface ApiSettings {
  /** Paths are below it, and nothing of another origin is ever called. */
  baseUrl: string;
  auth?: Authentication;
  headers?: Readonly<Record<string, string>>;
  /** Where the service tells its limits: calls wait until they are welcome. */
  rate?: RateHeaders;
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
    const send = (method: 'GET' | 'POST', url: URL, request: ApiRequest = {}) =>
      this.send(method, url, request, signal, budget);
    return {
      get: async (path, request) => send('GET', this.below(path), request),
      post: async (path, request) => send('POST', this.below(path), request),
      follow: async (link, request) => send('GET', this.linked(link, this.base, 'a link'), request),
    };
  }

  private below(path: string): URL {
    const url = new URL(this.base);
    const [pathname = '', query = ''] = path.split('?', 2);
    url.pathname = this.base.pathname.replace(/\/+$/, '') + pathname;
    url.search = query;
    return url;
  }

  private linked(link: string, from: URL, what: string): URL {
    const url = URL.canParse(link, from.href) ? new URL(link, from) : undefined;
    if (!url || url.origin !== this.base.origin || url.username !== '' || url.password !== '') {
      throw new SourceError(`${this.base.origin} answered with ${what} to another origin, which is not followed`);
    }
    return url;
  }

  private async send(
    method: 'GET' | 'POST',
    url: URL,
    request: ApiRequest,
    signal: AbortSignal,
    budget: WaitBudget,
  ): Promise<ApiAnswer> {
    const from = `${method} ${url.origin}${url.pathname}`;
    for (const [name, value] of Object.entries(request.query ?? {})) {
      if (value !== undefined) url.searchParams.set(name, String(value));
    }
    let target = url;
    let failures = 0;
    let hops = 0;
    let renewed = false;
    for (;;) {
      await budget.wait(this.notBefore - performance.now(), signal, `${from} is at its rate limit`);
      const told = await this.attempt(method, target, request, from, signal, budget);
      if ('answer' in told) return told.answer;
      const { response, reason } = told;
      if (response && redirects.has(response.status) && method === 'GET' && hops < maxRedirects) {
        hops += 1;
        target = this.linked(response.headers.location ?? '', target, 'a redirect');
        continue;
      }
      if (response?.status === 401 && !renewed && this.settings.auth?.renew?.()) {
        renewed = true;
        continue;
      }
      if (response && !this.passes(response)) throw this.statusError(from, response);
      const asked = response && this.askedToWait(response);
      if (asked === undefined) failures += 1;
      const message = response ? this.statusError(from, response).message : `${from} failed: ${reason}`;
      if (failures >= this.transport.limits.attempts) throw new SourceError(`${message} (tried ${failures} times)`);
      const { firstPauseMs, longestPauseMs } = this.transport.limits;
      // Never sooner than asked; a little later, so that not all come back at once.
      const pause =
        asked === undefined
          ? backoffMs(failures, firstPauseMs, longestPauseMs)
          : asked + (Math.random() * firstPauseMs) / 2;
      await budget.wait(pause, signal, message);
    }
  }

  private async attempt(
    method: 'GET' | 'POST',
    url: URL,
    request: ApiRequest,
    from: string,
    signal: AbortSignal,
    budget: WaitBudget,
  ): Promise<{ answer: ApiAnswer } | { response?: HttpAnswer; reason?: string }> {
    const { auth, headers, rate } = this.settings;
    const outgoing: HttpRequest = { method, url, ...bodyOf(request, { ...headers, ...request.headers }) };
    const authorized = await auth?.headers(outgoing, signal, budget);
    try {
      const response = await this.transport.exchange(
        { ...outgoing, headers: { ...outgoing.headers, ...authorized } },
        signal,
      );
      if (rate) this.notBefore = performance.now() + rateWaitMs(rate, response.headers);
      if (response.status < 200 || response.status > 299) return { response };
      const body = read(response, request.as ?? 'json');
      return { answer: { status: response.status, headers: response.headers, body, from } };
    } catch (error) {
      // An answer that is no JSON may be one that was cut off.
      if (error instanceof TransientFailure || error instanceof NotJson) return { reason: this.hide(error.message) };
      if (error instanceof RefusedAnswer) throw new SourceError(this.hide(`${from} failed: ${error.message}`));
      throw error;
    }
  }

  /** True of what another try may mend. Some say 403 where they mean 429, and tell so by when to come back. */
  private passes(response: HttpAnswer): boolean {
    if (passing.has(response.status)) return true;
    return response.status === 403 && (this.askedToWait(response) ?? 0) > 0;
  }

  private askedToWait({ headers }: HttpAnswer): number | undefined {
    const { rate } = this.settings;
    const wait = retryAfterMs(headers);
    if (wait !== undefined || !rate) return wait;
    return rateWaitMs(rate, headers) || undefined;
  }

  private statusError(from: string, { status, body }: HttpAnswer): StatusError {
    const { code, text } = explanation(body.toString('utf8'));
    const said = [code, text].filter((part) => part !== undefined).join(': ');
    return new StatusError(
      this.hide(`${from} answered ${status}${said && ` (${said})`}`),
      status,
      code && this.hide(code),
    );
  }

  private hide(text: string): string {
    return withoutSecrets(text, this.settings.auth?.secrets() ?? []);
  }
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

function read({ status, body }: HttpAnswer, as: 'json' | 'text'): unknown {
  if (as === 'text') return body.toString('utf8');
  return status === 204 ? undefined : parseJson(body);
}
