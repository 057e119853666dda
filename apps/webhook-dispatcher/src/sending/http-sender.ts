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
import { retryAfterMs } from './retry-after.js';
import type { OutgoingRequest, Sender, SendResult } from './send.js';
import { storedHeaders } from './sent-headers.js';

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
