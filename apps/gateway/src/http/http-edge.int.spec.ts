import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { createTestDatabase, type TestDatabase } from '@idsync/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { adminToken, gatewayConfig } from '../../test/gateway-config.js';
import { type Gateway, startGateway } from '../start.js';
import { drainLimits } from './drain-request.js';
import { createHttpAdapter } from './http.adapter.js';

const requestTimeouts = { headersMs: 300, requestMs: 600, checkMs: 50 };
const late = { error: 'the request must arrive within 0.6 s, and its headers within 0.3 s' };

let database: TestDatabase;
let gateway: Gateway;
/** A gateway with short timeouts. */
let impatient: Gateway;
const sockets: Socket[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  const config = gatewayConfig(database.url);
  gateway = await startGateway(config);
  impatient = await startGateway(config, { requestTimeouts });
});

afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

afterAll(async () => {
  await gateway?.close();
  await impatient?.close();
  await database?.drop();
});

async function connection(to: Gateway): Promise<Socket> {
  const { hostname, port } = new URL(to.url);
  const socket = connect(Number(port), hostname);
  sockets.push(socket);
  await once(socket, 'connect');
  return socket;
}

interface Answer {
  status: number;
  head: string;
  body: unknown;
}

/** Returns all responses until the server closes the connection. */
async function answersTo(sent: string, to = gateway): Promise<Answer[]> {
  const socket = await connection(to);
  socket.write(sent, 'latin1');
  return answersIn(await text(socket));
}

function answersIn(received: string): Answer[] {
  return received.split(/(?=HTTP\/1\.1 \d{3} )/).map((answer) => {
    const [head = '', body = ''] = answer.split('\r\n\r\n');
    return {
      status: Number(head.slice(9, 12)),
      head: head.toLowerCase(),
      body: body === '' ? undefined : JSON.parse(body),
    };
  });
}

async function refusalOf(sent: string, to = gateway): Promise<Answer> {
  const answers = await answersTo(sent, to);
  expect(answers).toHaveLength(1);
  const [answer] = answers as [Answer];
  expect(answer.body).toEqual({ error: expect.stringMatching(/^.{3,200}$/) });
  expect(answer.head).toContain('content-type: application/json');
  return answer;
}

const health = 'GET /v1/health HTTP/1.1\r\nHost: x\r\n\r\n';
const lastHealth = 'GET /v1/health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
const operatorPost = `POST /admin/v1/tenants HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${adminToken}\r\nContent-Type: application/json\r\n`;

describe('a request that times out', () => {
  it.each([
    ['its request line', 'GET /v1/he'],
    ['its headers', 'GET /v1/health HTTP/1.1\r\nHost: x\r\n'],
    ['its body', `${operatorPost}Content-Length: 100\r\n\r\n{"name":`],
    ['a chunk of its body', `${operatorPost}Transfer-Encoding: chunked\r\n\r\n5\r\n{"na`],
  ])('receives 408 and the connection is closed: without the rest of %s', async (_what, sent) => {
    expect(await refusalOf(sent, impatient)).toMatchObject({ status: 408, body: late });
  });

  it('receives 408 after earlier requests on its connection are answered', async () => {
    const answers = await answersTo(`${health}${health}GET /v1/he`, impatient);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 408]);
  });

  it('is the last on its connection, which is closed without a response if nothing was sent', async () => {
    expect(await text(await connection(impatient))).toBe('');
  });

  it('has 30 s, and its headers 10 s, by default; both are checked every second', async () => {
    const { server } = createHttpAdapter(gatewayConfig(database.url), {}).getInstance();
    expect(server).toMatchObject({
      requestTimeout: 30_000,
      headersTimeout: 10_000,
      connectionsCheckingInterval: 1_000,
      maxHeaderSize: 16_384,
    });
  });
});

describe('a request that is refused before its body is read', () => {
  const large = 8 * 1024 * 1024;

  /** Reads only after everything is sent, as most clients do. */
  async function sendThenRead(head: string, bytes: number): Promise<Answer> {
    const socket = await connection(gateway);
    socket.pause();
    socket.write(head);
    const chunk = Buffer.alloc(64 * 1024, 'x');
    for (let sent = 0; sent < bytes; sent += chunk.length) {
      if (!socket.write(chunk)) await once(socket, 'drain');
    }
    socket.end();
    const [answer] = answersIn(await text(socket)) as [Answer];
    return answer;
  }

  it('is read to its end first, so that the client receives the 413', async () => {
    const length = `Content-Length: ${large}\r\n\r\n`;
    for (let turn = 0; turn < 20; turn += 1) {
      expect(await sendThenRead(operatorPost + length, large)).toMatchObject({
        status: 413,
        body: { error: 'the body is too large' },
      });
    }
  });

  it('is read to its end first, so that the client receives the 401', async () => {
    const head = `POST /v1/webhooks HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${large}\r\n\r\n`;
    expect(await sendThenRead(head, large)).toMatchObject({
      status: 401,
      body: { error: 'missing or invalid API key' },
    });
  });

  it.each([
    ['a body that is too large', `${operatorPost}Content-Length: ${1024 ** 4}\r\n\r\n`],
    ['bytes that are not valid HTTP', 'NONSENSE\r\n\r\n'],
    ['bytes after CONNECT', 'CONNECT example.com:443 HTTP/1.1\r\nHost: example.com\r\n\r\n'],
  ])('is read up to 16 MiB, then the connection is closed: %s', async (_what, head) => {
    const socket = await connection(gateway);
    socket.on('error', () => undefined);
    const received = text(socket).catch(() => 'cut off');
    socket.write(head);
    const chunk = Buffer.alloc(64 * 1024, 'x');
    let sent = 0;
    while (socket.writable && sent < 64 * drainLimits.bytes) {
      sent += chunk.length;
      // If the server closes the connection first, waiting for drain fails with EPIPE or ECONNRESET.
      if (!socket.write(chunk))
        await Promise.race([once(socket, 'drain'), once(socket, 'close')]).catch(() => undefined);
    }
    await received;
    expect(drainLimits).toEqual({ bytes: 16 * 1024 * 1024, ms: 10_000 });
    // The buffers of two sockets add to the limit.
    expect(sent).toBeLessThan(4 * drainLimits.bytes);
  });

  it('receives its error within the time limit if it stops arriving', async () => {
    // Without the limit, the test would time out.
    const head = `${operatorPost}Content-Length: ${large}\r\n\r\n{"name":`;
    expect(await refusalOf(head, impatient)).toMatchObject({ status: 413 });
  });
});

describe('an invalid or unsupported request', () => {
  it.each([
    ['CONNECT to another server', 'CONNECT example.com:443 HTTP/1.1\r\nHost: example.com\r\n\r\n', 405],
    [
      'CONNECT with bytes for the other server',
      `CONNECT example.com:443 HTTP/1.1\r\nHost: example.com\r\n\r\n${health}`,
      405,
    ],
    ['two Hosts', 'GET /v1/health HTTP/1.1\r\nHost: x\r\nHost: y\r\nConnection: close\r\n\r\n', 400],
    ['the same Host twice', 'GET /v1/health HTTP/1.1\r\nHost: x\r\nHost: x\r\nConnection: close\r\n\r\n', 400],
    ['two Hosts before HTTP/1.1', 'GET /v1/health HTTP/1.0\r\nHost: x\r\nHost: y\r\n\r\n', 400],
    ['an invalid Host', 'GET /v1/health HTTP/1.1\r\nHost: x/y\r\nConnection: close\r\n\r\n', 400],
    ['a Host with a user', 'GET /v1/health HTTP/1.1\r\nHost: a@b\r\nConnection: close\r\n\r\n', 400],
    ['TRACE', 'TRACE /v1/health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n', 401],
    ['TRACE of no route', 'TRACE / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n', 404],
    ['OPTIONS of everything', 'OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n', 404],
    ['an unknown method', 'BREW /v1/health HTTP/1.1\r\nHost: x\r\n\r\n', 400],
    ['the beginning of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400],
    ['another scheme', 'GET ftp://x/v1/health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n', 404],
    ['no path', 'GET v1/health HTTP/1.1\r\nHost: x\r\n\r\n', 400],
    [
      'a length and chunks',
      `${operatorPost}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${health}`,
      400,
    ],
    ['two lengths', `${operatorPost}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}}${health}`, 400],
    ['an invalid length', `${operatorPost}Content-Length: +2\r\n\r\n{}${health}`, 400],
    ['another coding than chunked', `${operatorPost}Transfer-Encoding: gzip\r\n\r\n${health}`, 400],
    ['chunked before another coding', `${operatorPost}Transfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n${health}`, 400],
    ['a chunk of no size', `${operatorPost}Transfer-Encoding: chunked\r\n\r\nx\r\n{}\r\n0\r\n\r\n${health}`, 400],
    ['a header in two lines', 'GET /v1/health HTTP/1.1\r\nHost: x\r\nX-A: 1\r\n b\r\nX\r\n\r\n', 400],
    ['a header that is too long', `GET /v1/health HTTP/1.1\r\nHost: x\r\nX-A: ${'x'.repeat(17_000)}\r\n\r\n`, 431],
    ['a path that is too long', `GET /${'x'.repeat(17_000)} HTTP/1.1\r\nHost: x\r\n\r\n`, 431],
  ])('is refused, and later bytes are not read as requests: %s', async (_what, sent, status) => {
    expect((await refusalOf(sent)).status).toBe(status);
  });

  it('does not disturb responses to earlier requests on its connection', async () => {
    const answers = await answersTo(`${health}${health}NONSENSE\r\n\r\n${health}`);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 400]);
  });

  it('receives the normal response if it requests a protocol upgrade', async () => {
    for (const protocol of ['websocket', 'h2c', 'TLS/1.0']) {
      const sent = `GET /v1/health HTTP/1.1\r\nHost: x\r\nConnection: upgrade, close\r\nUpgrade: ${protocol}\r\n\r\n`;
      expect(await answersTo(sent)).toMatchObject([{ status: 200 }]);
    }
  });
});

describe('a request with an absolute URL, as a proxy sends it', () => {
  it('is routed by the path of the URL', async () => {
    const get = (target: string) =>
      answersTo(`GET ${target} HTTP/1.1\r\nHost: y\r\nConnection: close\r\n\r\n`).then(([answer]) => answer?.status);
    expect(await get('http://x/v1/health')).toBe(200);
    expect(await get('HTTPS://x:1/v1/health?a=http://b')).toBe(200);
    expect(await get('http://x')).toBe(await get('/'));
    for (const path of ['/v1/users', '/v1/nothing', '/admin/v1/nothing', '/scim/v2/x/Users']) {
      expect(await get(`http://x${path}`)).toBe(401);
    }
  });
});

describe('a connection', () => {
  it('is kept open while all of its requests are valid', async () => {
    expect((await answersTo(health + health + lastHealth)).map(({ status }) => status)).toEqual([200, 200, 200]);
  });
});
