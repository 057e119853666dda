import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { BoundedBody } from './bounded-body.js';

describe('the body of a request', () => {
  let server: Server;
  let socket: Socket;
  let most: { bytes: number; ms: number };
  let read: Promise<unknown>;

  beforeEach(async () => {
    server = createServer();
    read = once(server, 'request').then(([request]) => text(new BoundedBody(request, most)).catch((error) => error));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    most = { bytes: 10, ms: 60_000 };
  });

  afterEach(() => {
    socket.destroy();
    server.close();
  });

  const send = (length: number, body: string) =>
    socket.write(`POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${length}\r\n\r\n${body}`);

  it('is passed through unchanged', async () => {
    send(5, 'hello');
    expect(await read).toBe('hello');
  });

  it('is passed through up to its limit', async () => {
    send(10, 'x'.repeat(10));
    expect(await read).toBe('x'.repeat(10));
  });

  it('fails with a 413 when it exceeds its limit', async () => {
    send(100, 'x'.repeat(11));
    expect(await read).toMatchObject({ status: 413 });
  });

  it('fails with a 408 if it does not arrive in time, so that a slow client cannot hold a slot', async () => {
    most.ms = 20;
    send(5, 'hell');
    expect(await read).toMatchObject({ status: 408, message: 'the body did not arrive in time' });
  });

  it('that no parser reads fails without crashing the process', async () => {
    server.removeAllListeners('request');
    const unread = new Promise<BoundedBody>((resolve) => {
      server.on('request', (request) => resolve(new BoundedBody(request, { bytes: 10, ms: 20 })));
    });
    send(5, 'hell');
    const body = await unread;
    // Not `once` of node:events, because that would handle the error.
    await new Promise((resolve) => body.on('close', resolve));
    expect(body.errored).toMatchObject({ status: 408 });
  });

  it('fails if its client disconnects', async () => {
    send(5, 'hell');
    await once(server, 'request');
    socket.destroy();
    expect(await read).toBeInstanceOf(Error);
  });
});
