import type { IncomingHttpHeaders } from 'node:http';
import { addressVetter, hostResolver, type ResolveHost, vettedConnector } from '@idsync/runtime';
import { Agent, type buildConnector } from 'undici';
import { SourceError } from '../connector.js';
import { asFailure, RefusedAnswer, TransientFailure } from './failures.js';
import { defaultLimits, type HttpLimits } from './http-limits.js';

export interface HttpRequest {
  method: 'GET' | 'POST';
  url: URL;
  headers: Readonly<Record<string, string>>;
  body?: string;
}

/** An answer whose body is still on its way; what is not read of it is dropped. */
export interface HttpAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  /** Throws TransientFailure where the body ends before its end. */
  chunks: AsyncIterable<Buffer>;
}

export interface TransportSettings {
  /** Private networks that may be called, and without TLS. */
  allowedCidrs?: readonly string[] | undefined;
  /** PEM of the authorities that are trusted, instead of the well-known ones. */
  ca?: string | undefined;
  limits?: Partial<HttpLimits> | undefined;
  resolve?: ResolveHost;
}

/** One exchange at a time with vetted addresses: no redirect is followed, nothing is tried again, no proxy asked. */
export class HttpTransport {
  readonly limits: HttpLimits;
  private readonly agent: Agent;

  constructor({ allowedCidrs = [], ca, limits, resolve }: TransportSettings) {
    this.limits = { ...defaultLimits, ...limits };
    const { dnsMs, connectMs } = this.limits;
    const common = { resolve: resolve ?? hostResolver(dnsMs), connectMs, ...(ca !== undefined && { tls: { ca } }) };
    const secure = vettedConnector({ ...common, vet: addressVetter(allowedCidrs) });
    const plain = vettedConnector({ ...common, vet: plainVetter(allowedCidrs) });
    const connect: buildConnector.connector = (options, callback) =>
      (options.protocol === 'https:' ? secure : plain)(options, callback);
    this.agent = new Agent({ connect, connections: null, pipelining: 1, headersTimeout: 0, bodyTimeout: 0 });
  }

  /** Ends every exchange under way. */
  async close(): Promise<void> {
    await this.agent.destroy();
  }

  /**
   * Hands the answer to `read` as soon as its headers are there; all of it has to be over within `boundMs`. Throws TransientFailure
   * for what another try may mend, RefusedAnswer or SourceError for what none will, and the signal's reason once it is aborted.
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
    const late = () => abort.abort(new TransientFailure(`no complete answer within ${boundMs / 1000} s`));
    const timer = setTimeout(late, boundMs);
    try {
      const response = await this.agent.request({
        origin: url.origin,
        path: url.pathname + url.search,
        method,
        headers: { accept: 'application/json', 'accept-encoding': 'identity', 'user-agent': 'idsync/1', ...headers },
        ...(body !== undefined && { body }),
        signal: abort.signal,
      });
      try {
        const encoding = response.headers['content-encoding'];
        if (encoding !== undefined && encoding !== 'identity') {
          throw new RefusedAnswer(`the answer is encoded as ${encoding}, which was not asked for`);
        }
        return await read({ status: response.statusCode, headers: response.headers, chunks: response.body });
      } finally {
        // Nothing is left to do for one that was read to its end.
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

/** The whole body, which must not be larger than `limit` bytes. */
export async function readWhole(chunks: AsyncIterable<Buffer>, limit: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > limit) throw new RefusedAnswer(`the answer is larger than ${limit} bytes`);
    parts.push(chunk);
  }
  return Buffer.concat(parts);
}

/** Without TLS credentials and people's data would be read on the way, so only networks that the operator trusts are called so. */
function plainVetter(allowedCidrs: readonly string[]) {
  const allowed = addressVetter(allowedCidrs);
  const isPublic = addressVetter([]);
  return (address: string) =>
    allowed(address) ?? (isPublic(address) === undefined ? `${address} is called over https only` : undefined);
}

/** The URL of a source; throws SourceError for what is none. */
export function parseSourceUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) throw new SourceError('url must be an http or https URL');
  if (url.username !== '' || url.password !== '') throw new SourceError('url must not contain credentials');
  return url;
}
