import type { AttemptOutcome } from '@idsync/contracts';
import {
  addressVetter,
  BlockedError,
  ConnectTimeoutError,
  hostResolver,
  type ResolveHost,
  UnresolvedError,
  vettedConnector,
} from '@idsync/runtime';
import { Agent } from 'undici';

interface OutgoingRequest {
  url: string;
  headers: Record<string, string>;
  body: string;
}

/** Result of one POST. */
export interface SendResult {
  outcome: Exclude<AttemptOutcome, 'unknown'>;
  statusCode?: number;
  /** Failure text for an operator. */
  error?: string;
  /** The beginning of the response body. */
  responseBody?: string;
  responseHeaders?: Record<string, string>;
  /** Delay that the receiver requested. */
  retryAfterMs?: number;
  durationMs: number;
}

export abstract class Sender {
  /** Never rejects: every failure is a result. */
  abstract send(request: OutgoingRequest): Promise<SendResult>;
  abstract close(): Promise<void>;
}

export interface HttpLimits {
  dnsMs: number;
  connectMs: number;
  /** From the DNS look-up to the last byte of the response. */
  exchangeMs: number;
  /** Limits for the response body: bytes read and bytes stored. */
  readBytes: number;
  storedBytes: number;
}

export const defaultLimits: HttpLimits = {
  dnsMs: 3_000,
  connectMs: 5_000,
  exchangeMs: 15_000,
  readBytes: 64 * 1_024,
  storedBytes: 16 * 1_024,
};

class ExchangeTimeoutError extends Error {}

/** POSTs to receivers. Follows no redirects and ignores proxy settings of the environment. */
export function httpSender({
  allowedCidrs,
  limits = defaultLimits,
  resolve = hostResolver(limits.dnsMs),
}: {
  allowedCidrs: readonly string[];
  limits?: HttpLimits;
  resolve?: ResolveHost;
}): Sender {
  const agent = new Agent({
    connect: vettedConnector({ vet: addressVetter(allowedCidrs), resolve, connectMs: limits.connectMs }),
    // The slots limit concurrency, so the agent must not queue.
    connections: null,
    pipelining: 1,
    keepAliveTimeout: 30_000,
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  return {
    close: () => agent.destroy(),
    async send(request) {
      const began = performance.now();
      const result = await exchange(agent, limits, request).catch((error: unknown) => failure(error));
      return { ...result, durationMs: Math.round(performance.now() - began) };
    },
  };
}

type SendOutcome = Omit<SendResult, 'durationMs'>;

async function exchange(
  agent: Agent,
  limits: HttpLimits,
  { url, headers, body }: OutgoingRequest,
): Promise<SendOutcome> {
  const { origin, pathname, search } = new URL(url);
  const abort = new AbortController();
  const timer = setTimeout(() => {
    abort.abort(new ExchangeTimeoutError(`no complete response within ${limits.exchangeMs} ms`));
  }, limits.exchangeMs);
  try {
    const response = await agent.request({
      origin,
      path: pathname + search,
      method: 'POST',
      headers,
      body,
      signal: abort.signal,
    });
    const responseBody = await beginningOf(response.body, limits);
    const answer = {
      statusCode: response.statusCode,
      responseHeaders: storedHeaders(response.headers),
      ...(responseBody !== '' && { responseBody }),
    };
    if (response.statusCode >= 200 && response.statusCode < 300) return { outcome: 'delivered', ...answer };
    const wait = [429, 503].includes(response.statusCode)
      ? retryAfterMs(response.headers['retry-after'], Date.now())
      : undefined;
    return {
      outcome: 'rejected',
      error: response.statusCode < 400 ? 'redirects are not followed' : `status ${response.statusCode}`,
      ...answer,
      ...(wait !== undefined && { retryAfterMs: wait }),
    };
  } finally {
    clearTimeout(timer);
  }
}

/** Reads a short body to its end, so that the connection can be reused; abandons a long one. */
async function beginningOf(body: AsyncIterable<Buffer> & { destroy(): unknown }, limits: HttpLimits): Promise<string> {
  const kept: Buffer[] = [];
  let read = 0;
  for await (const chunk of body) {
    if (read < limits.storedBytes) kept.push(chunk.subarray(0, limits.storedBytes - read));
    read += chunk.length;
    if (read >= limits.readBytes) break;
  }
  // PostgreSQL stores no NUL; an incomplete or invalid character becomes U+FFFD.
  return Buffer.concat(kept).toString('utf8').replaceAll('\0', '\uFFFD');
}

function failure(error: unknown): SendOutcome {
  const text = error instanceof Error ? error.message : String(error);
  const code = (error as { code?: string }).code ?? '';
  if (error instanceof BlockedError) return { outcome: 'blocked', error: text };
  if (error instanceof UnresolvedError) return { outcome: 'unresolved', error: text };
  if (error instanceof ExchangeTimeoutError || error instanceof ConnectTimeoutError)
    return { outcome: 'timed_out', error: text };
  if (code === 'ETIMEDOUT') return { outcome: 'timed_out', error: text };
  if (/^(ERR_(TLS|SSL)|CERT|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|EPROTO|HOSTNAME_MISMATCH)/.test(code)) {
    // The message of OpenSSL contains addresses and file names.
    const reason = (error as { reason?: string }).reason ?? text;
    return { outcome: 'tls_failed', error: `${reason} (${code})` };
  }
  if (code.startsWith('HPE_')) return { outcome: 'unreachable', error: `the response is not HTTP (${code})` };
  if (code === 'UND_ERR_SOCKET') {
    return { outcome: 'unreachable', error: `the connection ended before a complete response (${code})` };
  }
  return { outcome: 'unreachable', error: code && !text.includes(code) ? `${text} (${code})` : text };
}

/** `Retry-After` delays a delivery by a day at most. */
const maxDelayMs = 24 * 60 * 60 * 1_000;

/** Parses `Retry-After` (seconds or a date) into milliseconds, at most a day; undefined if it is invalid. */
export function retryAfterMs(header: string | string[] | undefined, now: number): number | undefined {
  const text = (Array.isArray(header) ? header[0] : header)?.trim();
  if (!text) return undefined;
  if (/^\d{1,15}$/.test(text)) return Math.min(Number(text) * 1_000, maxDelayMs);
  // An HTTP date begins with a weekday; Date.parse accepts many other texts.
  const date = /^[A-Za-z]{3}/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.min(Math.max(date - now, 0), maxDelayMs);
}

const maxHeaders = 64;
const maxValueBytes = 1_024;
const maxBytes = 8 * 1_024;

/** Returns the headers of a response to store: no cookies, bounded, and only text that PostgreSQL accepts. */
export function storedHeaders(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const stored: Record<string, string> = {};
  let bytes = 0;
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || name === 'set-cookie') continue;
    const text = storable([value].flat().join(', '));
    bytes += name.length + Buffer.byteLength(text);
    if (bytes > maxBytes || Object.keys(stored).length === maxHeaders) break;
    stored[name] = text;
  }
  return stored;
}

/** A character that the cut divides becomes U+FFFD. */
function storable(text: string): string {
  return Buffer.from(text).subarray(0, maxValueBytes).toString('utf8').replaceAll('\0', '\uFFFD');
}
