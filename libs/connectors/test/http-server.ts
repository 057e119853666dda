import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { afterAll, beforeAll } from '@jest/globals';

/** The network of the test servers. */
export const loopback = ['127.0.0.0/8'];

export interface Asked {
  method: string;
  url: URL;
  headers: IncomingHttpHeaders;
  body: string;
}

export interface Reply {
  status?: number;
  headers?: Record<string, string>;
  /** Sent as JSON, unless it is text or bytes. */
  body?: unknown;
  /** Closes the connection after this many bytes of the announced body. */
  cutAfter?: number;
  /** Delays the close until this promise resolves. */
  cutWhen?: () => Promise<void>;
  /** How the end of the body is marked; `Content-Length` if absent. */
  endBy?: 'chunks' | 'closing';
  /** Sends no response. */
  silent?: boolean;
}

export type Handler = (asked: Asked) => Reply | Promise<Reply>;

export type TestServer = ReturnType<typeof newServer>;

/** An HTTP server at 127.0.0.1 that listens during the tests of the file. */
export function testServer(handler?: Handler) {
  const server = newServer(handler);
  beforeAll(server.listen);
  afterAll(server.close);
  return server;
}

/** Starts an HTTP server at 127.0.0.1 that the caller closes. */
export async function startServer(handler?: Handler) {
  const server = newServer(handler);
  await server.listen();
  return server;
}

function newServer(handler: Handler = () => ({ status: 404 })) {
  const asked: Asked[] = [];
  const served = { handler };
  const sockets = new Set<Socket>();
  const server = createServer((request, response) => {
    void answer(request, response).catch(() => response.destroy());
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    const one: Asked = {
      method: request.method ?? '',
      url: new URL(request.url ?? '/', origin()),
      headers: request.headers,
      body: Buffer.concat(parts).toString(),
    };
    asked.push(one);
    const reply = await served.handler(one);
    if (!reply.silent) send(response, reply);
  }
  let port = 0;
  /** Keeps the port if the server was closed. */
  const listen = async () => {
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    ({ port } = server.address() as AddressInfo);
  };
  const origin = () => `http://127.0.0.1:${port}`;
  const close = () => {
    server.closeAllConnections();
    return new Promise<void>((resolve) => server.close(() => resolve()));
  };
  return {
    get origin() {
      return origin();
    },
    asked,
    listen,
    close,
    /** Replaces the handler and clears the recorded requests. */
    serve(next: Handler) {
      served.handler = next;
      asked.length = 0;
    },
    /** Resolves when no client is connected. */
    async released() {
      await Promise.all([...sockets].map((socket) => new Promise((closed) => socket.once('close', closed))));
    },
    /** Sends these responses in order and then repeats the last one. */
    replies(...replies: [Reply, ...Reply[]]) {
      let next = 0;
      this.serve(() => replies[Math.min(next++, replies.length - 1)] ?? {});
    },
  };
}

function send(response: ServerResponse, { status = 200, headers = {}, body = '', endBy, ...cut }: Reply): void {
  const bytes = Buffer.isBuffer(body) ? body : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  if (endBy === 'closing') response.useChunkedEncodingByDefault = false;
  const length = endBy === undefined && status !== 304 ? { 'content-length': bytes.length } : {};
  response.writeHead(status, { 'content-type': 'application/json', ...length, ...headers });
  const { cutAfter, cutWhen = async () => undefined } = cut;
  if (cutAfter === undefined) response.end(bytes);
  else response.write(bytes.subarray(0, cutAfter), () => void cutWhen().finally(() => response.destroy()));
}
