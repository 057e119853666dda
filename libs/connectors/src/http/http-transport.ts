import type { IncomingHttpHeaders } from 'node:http';
import { parseUrl } from '@idsync/contracts';
import { addressVetter, hostResolver, type ResolveHost, vettedConnector } from '@idsync/runtime';
import { Agent, type buildConnector } from 'undici';
import { SourceError } from '../connector.js';
import { asFailure, RefusedAnswer, TransientFailure } from './failures.js';

/** Limits of waits and bodies, in milliseconds and bytes. */
export interface HttpLimits {
  dnsMs: number;
  /** The connection and its TLS handshake together. */
  connectMs: number;
  /** From the DNS lookup to the last byte of a response. */
  exchangeMs: number;
  /** Size of a response that is read into memory. */
  bodyBytes: number;
  fileBytes: number;
  /** Timeout of one attempt of a download. */
  downloadMs: number;
  /** Attempts of one request, without those for which the service gave a time to wait. */
  attempts: number;
  /** The first pause between two attempts. It doubles up to `longestPauseMs`. */
  firstPauseMs: number;
  longestPauseMs: number;
  /** Sum of all pauses for one page. The sync-worker waits ten minutes for a page. */
  waitMs: number;
}

const defaultLimits: HttpLimits = {
  dnsMs: 5_000,
  connectMs: 10_000,
  exchangeMs: 60_000,
  bodyBytes: 32 * 1024 * 1024,
  fileBytes: 2 * 1024 * 1024 * 1024,
  downloadMs: 8 * 60_000,
  attempts: 6,
  firstPauseMs: 500,
  longestPauseMs: 30_000,
  waitMs: 5 * 60_000,
};

export interface HttpRequest {
  method: 'GET' | 'POST';
  url: URL;
  headers: Readonly<Record<string, string>>;
  body?: string;
}

/** A response whose body is still arriving. An unread body is discarded. */
export interface HttpAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  /** Throws TransientFailure for a truncated body. */
  chunks: AsyncIterable<Buffer>;
}

interface TransportSettings {
  /** Private networks that connectors may call, also without TLS. */
  allowedCidrs?: readonly string[] | undefined;
  /** Trusted authorities in PEM, instead of the default ones. */
  ca?: string | undefined;
  limits?: Partial<HttpLimits> | undefined;
  resolve?: ResolveHost;
}

/** Sends single requests to allowed addresses, without redirects, retries or proxies. */
export class HttpTransport {
  readonly limits: HttpLimits;
  private readonly agent: Agent;

  constructor({ allowedCidrs = [], ca, limits, resolve }: TransportSettings) {
    this.limits = { ...defaultLimits, ...limits };
    const { dnsMs, connectMs } = this.limits;
    const common = { resolve: resolve ?? hostResolver(dnsMs), connectMs, tls: { ca } };
    const secure = vettedConnector({ ...common, vet: addressVetter(allowedCidrs) });
    const plain = vettedConnector({ ...common, vet: plainVetter(allowedCidrs) });
    const connect: buildConnector.connector = (options, callback) =>
      (options.protocol === 'https:' ? secure : plain)(options, callback);
    this.agent = new Agent({ connect, connections: null, pipelining: 1, headersTimeout: 0, bodyTimeout: 0 });
  }

  /** Aborts all running exchanges. */
  async close(): Promise<void> {
    await this.agent.destroy();
  }

  /**
   * Passes the response to `read` when its headers arrive. The exchange has to finish within `boundMs`. Throws
   * TransientFailure if a retry may succeed, RefusedAnswer or SourceError if not, and the abort reason when the signal
   * is aborted.
   */
  async exchange<T>(
    request: HttpRequest,
    signal: AbortSignal,
    boundMs: number,
    read: (answer: HttpAnswer) => Promise<T>,
  ): Promise<T> {
    signal.throwIfAborted();
    const { method, url, headers, body } = request;
    const abort = new AbortController();
    const stopped = () => abort.abort(signal.reason);
    signal.addEventListener('abort', stopped, { once: true });
    const late = () =>
      abort.abort(new TransientFailure(`no complete response within ${boundMs / 1000} s`, { code: 'timed_out' }));
    const timer = setTimeout(late, boundMs);
    try {
      const response = await this.agent.request({
        origin: url.origin,
        path: url.pathname + url.search,
        method,
        headers: { accept: 'application/json', 'accept-encoding': 'identity', 'user-agent': 'idsync/1', ...headers },
        body,
        signal: abort.signal,
      });
      try {
        const encoding = response.headers['content-encoding'];
        if (encoding !== undefined && encoding !== 'identity') {
          throw new RefusedAnswer('the response is compressed, but no compression was requested', {
            said: String(encoding),
          });
        }
        return await read({ status: response.statusCode, headers: response.headers, chunks: response.body });
      } finally {
        // This has no effect on a body that was read completely.
        response.body.on('error', () => undefined).destroy();
      }
    } catch (error) {
      throw abort.signal.aborted ? abort.signal.reason : asFailure(error);
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', stopped);
    }
  }
}

export async function readBody(chunks: AsyncIterable<Buffer>, limit: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > limit) throw new RefusedAnswer(`the response is larger than ${limit} bytes`, { code: 'too_large' });
    parts.push(chunk);
  }
  return Buffer.concat(parts);
}

/**
 * Allows plain HTTP only in networks that the operator trusts, because credentials and personal data are not encrypted.
 */
function plainVetter(allowedCidrs: readonly string[]) {
  const allowed = addressVetter(allowedCidrs);
  const isPublic = addressVetter([]);
  return (address: string) =>
    allowed(address) ?? (isPublic(address) === undefined ? `${address} requires https` : undefined);
}

/** Parses the URL of a source; throws SourceError if it is invalid. */
export function parseSourceUrl(text: string): URL {
  const url = parseUrl(text);
  if (!url || !/^https?:$/.test(url.protocol))
    throw new SourceError('url must be an http or https URL', 'misconfigured');
  if (url.username !== '' || url.password !== '')
    throw new SourceError('url must not contain credentials', 'misconfigured');
  return url;
}
