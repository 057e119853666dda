import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { UnresolvedError } from '@idsync/runtime';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Receiver } from '../../test/receiver.js';
import { defaultLimits, type HttpLimits, httpSender, type Sender, type SendResult } from './http-sender.js';

/** Stands for any forbidden target: a receiver at an address that is not allowed. */
let canary: Receiver;
let canaryPort: string;
let sender: Sender;

beforeAll(async () => {
  canary = await Receiver.start();
  canaryPort = new URL(canary.url).port;
});

beforeEach(() => {
  canary.received.length = 0;
});

afterEach(async () => {
  await sender.close();
});

afterAll(async () => {
  await canary.close();
});

function send(url: string): Promise<SendResult> {
  return sender.send({ url, headers: { 'webhook-id': 'evt_1' }, body: '{}' });
}

/** Resolves to each of these answers in turn, then always to the last one. */
function answering(...answers: string[][]) {
  let asked = 0;
  return async () => answers[Math.min(asked++, answers.length - 1)] ?? [];
}

describe('the webhook sender does not call', () => {
  it.each([
    ['http://127.0.0.1:{port}/'],
    ['http://127.1:{port}/'],
    ['http://2130706433:{port}/'],
    ['http://0x7f000001:{port}/'],
    ['http://0x7f.0x1:{port}/'],
    ['http://0177.0.0.1:{port}/'],
    ['http://017700000001:{port}/'],
    ['http://127.0.0.1.:{port}/'],
    ['http://0:{port}/'],
    ['http://0.0.0.0:{port}/'],
    ['http://[::1]:{port}/'],
    ['http://[::]:{port}/'],
    ['http://[::ffff:127.0.0.1]:{port}/'],
    ['http://[::ffff:7f00:1]:{port}/'],
    ['http://[::127.0.0.1]:{port}/'],
    ['http://[64:ff9b::7f00:1]:{port}/'],
    ['http://[2002:7f00:1::]:{port}/'],
    ['http://localhost:{port}/'],
    ['http://localhost.:{port}/'],
    ['http://LOCALHOST:{port}/'],
    ['http://sub.localhost:{port}/'],
    ['http://user:password@127.0.0.1:{port}/'],
    ['http://8.8.8.8@127.0.0.1:{port}/'],
    ['http://１２７.０.０.１:{port}/'],
    ['https://127.0.0.1:{port}/'],
    ['http://169.254.169.254/latest/meta-data/'],
    ['http://[fd00:ec2::254]/latest/meta-data/'],
    ['http://100.100.100.200/latest/meta-data/'],
    ['http://168.63.129.16/machine?comp=goalstate'],
    ['http://192.168.0.1/'],
    ['http://8.8.8.8:22/'],
    ['http://8.8.8.8:25/'],
    ['http://8.8.8.8:6379'.replace('6379', '6667')],
  ])('%s', async (url) => {
    sender = httpSender({ allowedCidrs: [] });
    const result = await send(url.replace('{port}', canaryPort));
    expect(result).toMatchObject({ outcome: 'blocked', error: expect.any(String) });
    expect(canary.received).toEqual([]);
  });

  it.each([
    ['a private address', [['10.0.0.1']]],
    ['a metadata service', [['169.254.169.254']]],
    ['a public and a private address', [['8.8.8.8', '10.0.0.1']]],
    ['loopback by IPv6', [['::1']]],
    ['an IPv4-mapped address', [['::ffff:127.0.0.1']]],
  ])('a name of %s', async (_, answers) => {
    sender = httpSender({ allowedCidrs: [], resolve: answering(...answers) });
    expect(await send(`http://receiver.example:${canaryPort}/`)).toMatchObject({ outcome: 'blocked' });
    expect(canary.received).toEqual([]);
  });

  it('a name that resolves to a public address first and to a private one later', async () => {
    // 127.0.0.2 stands for a public address; nothing listens there.
    const resolve = answering(['127.0.0.2'], ['127.0.0.1']);
    sender = httpSender({ allowedCidrs: ['127.0.0.2/32'], resolve });
    expect(await send(`http://receiver.example:${canaryPort}/`)).toMatchObject({ outcome: 'unreachable' });
    expect(await send(`http://receiver.example:${canaryPort}/`)).toMatchObject({ outcome: 'blocked' });
    expect(canary.received).toEqual([]);
  });

  it('the target of a redirect', async () => {
    const redirecting = await Receiver.start();
    sender = httpSender({ allowedCidrs: ['127.0.0.0/8'] });
    for (const status of [301, 302, 303, 307, 308]) {
      redirecting.status(status, { location: canary.url });
      expect(await send(redirecting.url)).toMatchObject({
        outcome: 'rejected',
        statusCode: status,
        error: 'redirects are not followed',
      });
    }
    expect(canary.received).toEqual([]);
    await redirecting.close();
  });

  it('a proxy from the environment', async () => {
    const before = { ...process.env };
    Object.assign(process.env, { HTTP_PROXY: canary.url, http_proxy: canary.url, HTTPS_PROXY: canary.url });
    const receiver = await Receiver.start();
    sender = httpSender({ allowedCidrs: ['127.0.0.0/8'] });
    expect(await send(receiver.url)).toMatchObject({ outcome: 'delivered' });
    expect(canary.received).toEqual([]);
    process.env = before;
    await receiver.close();
  });
});

describe('a webhook exchange', () => {
  const limits = (more: Partial<HttpLimits>) => ({ ...defaultLimits, ...more });
  const local = { allowedCidrs: ['127.0.0.0/8'] };
  let receiver: Receiver;

  beforeEach(async () => {
    receiver = await Receiver.start();
  });

  afterEach(async () => {
    await receiver.close();
  });

  it('reuses its connection for the next one', async () => {
    sender = httpSender(local);
    const sockets = new Set<unknown>();
    receiver.answer = (_, response) => {
      sockets.add(response.socket);
      response.writeHead(200).end('fine');
    };
    for (let count = 0; count < 5; count += 1) {
      expect(await send(receiver.url)).toMatchObject({ outcome: 'delivered', statusCode: 200, responseBody: 'fine' });
    }
    // The first exchange may not have released its connection when the second begins.
    expect(sockets.size).toBeLessThan(3);
  });

  it.each([[200], [201], [202], [204], [299]])('succeeds with status %d', async (status) => {
    sender = httpSender(local);
    receiver.status(status);
    expect(await send(receiver.url)).toMatchObject({ outcome: 'delivered', statusCode: status });
  });

  it.each([
    [429, '7', 7_000],
    [503, '7', 7_000],
    [500, '7', undefined],
  ])('fails with status %d and honours Retry-After only for 429 and 503', async (status, header, milliseconds) => {
    sender = httpSender(local);
    receiver.status(status, { 'retry-after': header });
    const result = await send(receiver.url);
    expect(result).toMatchObject({ outcome: 'rejected', statusCode: status, error: `status ${status}` });
    expect(result.retryAfterMs).toBe(milliseconds);
  });

  it('reads at most 64 KiB of a response and stores 16, even if it never ends', async () => {
    sender = httpSender(local);
    receiver.answer = (_, response) => {
      response.writeHead(200);
      const flow = () => {
        while (response.write('x'.repeat(8_192)));
        response.once('drain', flow);
      };
      flow();
    };
    const result = await send(receiver.url);
    expect(result).toMatchObject({ outcome: 'delivered', statusCode: 200 });
    expect(result.responseBody).toHaveLength(16 * 1_024);
  });

  it('stores only text that PostgreSQL accepts', async () => {
    sender = httpSender(local);
    receiver.answer = (_, response) => response.writeHead(200).end(Buffer.from([0x61, 0x00, 0xff, 0xc3]));
    expect((await send(receiver.url)).responseBody).toBe('a\uFFFD\uFFFD\uFFFD');
  });

  it('times out if no response arrives or the response trickles', async () => {
    sender = httpSender({ ...local, limits: limits({ exchangeMs: 300 }) });
    receiver.answer = () => undefined;
    const silent = await send(receiver.url);
    expect(silent).toMatchObject({ outcome: 'timed_out', error: 'no complete response within 300 ms' });
    receiver.answer = (_, response) => {
      response.writeHead(200);
      const drip = setInterval(() => response.write('x'), 20);
      response.on('close', () => clearInterval(drip));
    };
    expect(await send(receiver.url)).toMatchObject({ outcome: 'timed_out' });
  });

  it('times out if a connection is accepted and stays silent', async () => {
    const silent = await tcpServer(() => undefined);
    sender = httpSender({ ...local, limits: limits({ connectMs: 200 }) });
    expect(await send(`https://127.0.0.1:${silent.port}/`)).toMatchObject({
      outcome: 'timed_out',
      error: 'connection timed out',
    });
    silent.close();
  });

  it('distinguishes an unresolved name, a closed port, a malformed response and an invalid certificate', async () => {
    sender = httpSender({
      ...local,
      resolve: async () => {
        throw new UnresolvedError('receiver.example has no address');
      },
    });
    expect(await send('http://receiver.example/')).toMatchObject({ outcome: 'unresolved' });
    await sender.close();
    sender = httpSender(local);
    expect(await send('http://127.0.0.1:9999/')).toMatchObject({ outcome: 'unreachable' });
    const garbling = await tcpServer((socket) => socket.end('no HTTP at all\r\n\r\n'));
    const { port } = garbling;
    expect(await send(`http://127.0.0.1:${port}/`)).toMatchObject({ outcome: 'unreachable' });
    expect(await send(`https://127.0.0.1:${port}/`)).toMatchObject({ outcome: 'tls_failed' });
    garbling.close();
  });
});

async function tcpServer(take: (socket: Socket) => void): Promise<{ port: number; close(): void }> {
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    take(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  };
  return { port: (server.address() as AddressInfo).port, close };
}
