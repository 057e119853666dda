import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ToxicLink } from './toxic-link.js';

let server: Server;
let link: ToxicLink;
let clients: Socket[];
/** Received bytes and closed connections, as the server sees them. */
let seen: string[];

beforeEach(async () => {
  clients = [];
  seen = [];
  server = createServer((socket) => {
    socket.on('data', (bytes) => {
      seen.push(bytes.toString());
      socket.write(bytes);
    });
    socket.on('error', () => undefined).on('end', () => seen.push('end'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  link = await ToxicLink.to((server.address() as AddressInfo).port);
});

afterEach(async () => {
  for (const client of clients) client.destroy();
  await link.close();
  await new Promise((resolve) => server.close(resolve));
});

async function client(): Promise<Socket> {
  const socket = connect(link.port, '127.0.0.1');
  socket.on('error', () => undefined);
  clients.push(socket);
  await once(socket, 'connect');
  return socket;
}

async function echo(socket: Socket, text: string): Promise<string> {
  let answer = '';
  socket.write(text);
  for (; answer.length < text.length; ) answer += (await once(socket, 'data')).toString();
  return answer;
}

describe('a link with faults', () => {
  it.each([undefined, { kind: 'latency', ms: 5 }, { kind: 'trickle', bytes: 3 }] as const)(
    'forwards everything in order: %j',
    async (toxic) => {
      const socket = await client();
      if (toxic) link.poison(toxic);
      expect(await echo(socket, 'data through the link')).toBe('data through the link');
    },
  );

  it('cuts existing and new connections until it is healed', async () => {
    const before = await client();
    await echo(before, 'hello');
    link.poison({ kind: 'cut' });
    await once(before, 'close');
    await once(await client(), 'close');
    link.heal();
    expect(await echo(await client(), 'again')).toBe('again');
  });

  it('leaves a half-open connection silent and open on both sides, even after it is healed', async () => {
    const before = await client();
    await echo(before, 'hello');
    link.poison({ kind: 'half-open' });
    const during = await client();
    link.heal();
    before.write('lost');
    during.write('lost');
    before.end();
    expect(await echo(await client(), 'again')).toBe('again');
    expect(seen).toEqual(['hello', 'again']);
    expect(during.destroyed).toBe(false);
    link.forget();
    await once(during, 'close');
  });
});
