import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { FastifyInstance, FastifyServerOptions } from 'fastify';
import { badRequest } from './api-error.js';
import { drainRequest, isDraining, linger } from './drain-request.js';
import type { RequestTimeouts } from './http-options.js';

interface Refusal {
  status: number;
  text: string;
  headers?: Record<string, string>;
}

const usualTimes: RequestTimeouts = { headersMs: 10_000, requestMs: 30_000, checkMs: 1_000 };
export const largestHeaders = 16 * 1024;
/** A host name, an address or nothing, with an optional port. */
const host = /^(?:[\w.~!$&'()*+,;=%-]*|\[[\da-f.:]+\])(?::\d*)?$/i;
const noProxy: Refusal = {
  status: 405,
  text: 'CONNECT is not supported: this server is not a proxy',
  headers: { allow: 'DELETE, GET, HEAD, PATCH, POST, PUT' },
};

/**
 * Handles requests that fail before routing. Node would close the connection or respond without a body if a request is invalid HTTP
 * or times out; here it receives a regular error response.
 */
export class HttpEdge {
  readonly options: Pick<FastifyServerOptions, 'requestTimeout' | 'rewriteUrl' | 'clientErrorHandler'> & {
    http: object;
  };
  /** The newest exchange of a connection; earlier ones are answered first. */
  private readonly newest = new WeakMap<Duplex, { request: IncomingMessage; response: ServerResponse }>();
  private readonly refused = new WeakSet<Duplex>();

  constructor(private readonly times: RequestTimeouts = usualTimes) {
    this.options = {
      requestTimeout: times.requestMs,
      rewriteUrl: ({ url = '' }) => readable(withoutEmptySteps(originForm(url))),
      clientErrorHandler: (error, socket) => this.refuse(socket, this.refusalOf(error)),
      http: {
        headersTimeout: times.headersMs,
        connectionsCheckingInterval: times.checkMs,
        maxHeaderSize: largestHeaders,
        // Checked in the hook below, because Node would respond without a body.
        requireHostHeader: false,
      },
    };
  }

  register(server: FastifyInstance): void {
    server.server.prependListener('request', (request, response) => {
      this.newest.set(request.socket, { request, response });
    });
    server.server.on('connect', (_request, socket) => answerBare(socket, noProxy));
    // An unknown `Expect` is ignored; Node would respond to it without a body.
    server.server.on('checkExpectation', (request, response) => {
      server.server.emit('request', request, response);
    });
    server.addHook('onRequest', ({ raw }, _reply, done) => {
      const hosts = valuesOf('host', raw.rawHeaders);
      if (hosts.length === 0 && raw.httpVersion === '1.1') throw badRequest('the Host header is missing');
      if (hosts.length > 1) throw badRequest(`the Host header must be given once, not ${hosts.length} times`);
      if (!host.test(hosts[0] ?? ''))
        throw badRequest('the Host header must be a host name or address, with or without a port');
      done();
    });
    // Most clients send their whole body before they read the response: closing earlier would hide the response from them.
    server.addHook('onSend', ({ raw }, reply, _payload, done) => {
      if (reply.statusCode < 400) return done();
      return void drainRequest(raw).then((ended) => {
        if (!ended) reply.header('connection', 'close');
        done();
      });
    });
  }

  private refusalOf({ code }: { code?: string }): Refusal {
    const { headersMs, requestMs } = this.times;
    const seconds = (ms: number) => `${ms / 1_000} s`;
    if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
      const text = `the request must arrive within ${seconds(requestMs)}, and its headers within ${seconds(headersMs)}`;
      return { status: 408, text };
    }
    if (code === 'HPE_HEADER_OVERFLOW') {
      return { status: 431, text: `the request line and the headers must have at most ${largestHeaders} bytes` };
    }
    return { status: 400, text: 'the request is not valid HTTP' };
  }

  /** Refuses a connection once, because later bytes on it cannot be parsed as a request. */
  private refuse(socket: Duplex & { bytesRead?: number }, refusal: Refusal): void {
    const newest = this.newest.get(socket);
    if (!socket.writable || this.refused.has(socket) || (newest && isDraining(newest.request))) return;
    this.refused.add(socket);
    // The client of an unused preconnection would read the response as that of a later request.
    if (socket.bytesRead === 0) {
      socket.destroy();
      return;
    }
    if (!newest || newest.response.closed) answerBare(socket, refusal);
    else if (newest.request.complete) newest.response.once('close', () => answerBare(socket, refusal));
    else if (newest.response.headersSent) socket.destroy();
    else answer(newest.response, refusal);
  }
}

/** Returns the values of a header. Cheaper than `headersDistinct`, which arranges all headers. */
function valuesOf(name: string, rawHeaders: readonly string[]): string[] {
  return rawHeaders.filter((_, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === name);
}

/** Reduces an absolute URL, which a proxy may send, to its path (RFC 9112, section 3.2.2). */
function originForm(url: string): string {
  const path = url.replace(/^https?:\/\/[^/?#]*/i, '');
  return path === url || path.startsWith('/') ? path : `/${path}`;
}

/**
 * Replaces a path that cannot be decoded with one below the same prefix that matches no route. Fastify would respond to it without
 * any hook; this way the request is authenticated, answered and counted like any other.
 */
function readable(url: string): string {
  const [path = ''] = url.split('?', 1);
  try {
    decodeURI(path);
    return url;
  } catch {
    const [prefix = '/'] = /^(\/scim\/v2)?\/[^/%]*\//.exec(path) ?? [];
    return `${prefix}%25`;
  }
}

/** Identity providers append paths to a base address that may end with a slash, and some end the path with one. */
function withoutEmptySteps(url: string): string {
  if (!url.startsWith('/scim/v2/')) return url;
  const [path = ''] = url.split('?', 1);
  const steps = path.split('/').filter((step) => step !== '');
  return `/${steps.join('/')}${url.slice(path.length)}`;
}

function answer(response: ServerResponse, refusal: Refusal): void {
  const body = bodyOf(refusal);
  response.writeHead(refusal.status, headersOf(refusal, body)).end(body);
}

/** Responds on a socket for which Node has created no response. */
function answerBare(socket: Duplex, refusal: Refusal): void {
  if (!socket.writable) return;
  const body = bodyOf(refusal);
  const headers = Object.entries(headersOf(refusal, body)).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}\r\n${headers.join('')}\r\n${body}`);
  linger(socket);
}

function bodyOf({ text }: Refusal): string {
  return JSON.stringify({ error: text });
}

function headersOf({ headers }: Refusal, body: string): Record<string, string> {
  return {
    'content-type': 'application/json; charset=utf-8',
    'content-length': `${Buffer.byteLength(body)}`,
    'cache-control': 'no-store',
    connection: 'close',
    ...headers,
  };
}
