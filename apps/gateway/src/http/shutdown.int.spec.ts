import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { createTestDatabase, DirectoryFixture, type TestDatabase, until } from '@idsync/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { adminToken, gatewayConfig } from '../../test/gateway-config.js';
import { type Gateway, startGateway } from '../start.js';
import type { ShutdownTimeouts } from './http-options.js';

/** More than the buffers of a connection. A page ends at 4 MiB but contains at least one document of any size. */
const documentBytes = 60_000_000;

describe('a gateway that shuts down', () => {
  let database: TestDatabase;
  let gateway: Gateway;
  let apiKey: string;
  const sockets: Socket[] = [];
  let stopping: AbortController;

  beforeAll(async () => {
    database = await createTestDatabase();
  });

  beforeEach(() => {
    stopping = new AbortController();
  });

  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
  });

  afterAll(async () => {
    await database?.drop();
  });

  async function start(shutdownTimeouts?: ShutdownTimeouts): Promise<void> {
    gateway = await startGateway(gatewayConfig(database.url), {
      stopping: stopping.signal,
      ...(shutdownTimeouts && { shutdownTimeouts }),
    });
  }

  function end(): Promise<void> {
    stopping.abort();
    return gateway.close();
  }

  async function connection(): Promise<Socket> {
    const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1');
    sockets.push(socket);
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    return socket;
  }

  /** Requests a long page and reads only the beginning of the response. */
  async function beginReading(): Promise<{ socket: Socket; beginning: Buffer }> {
    const socket = await connection();
    socket.write(`GET /v1/identities?limit=1 HTTP/1.1\r\nHost: here\r\nX-API-Key: ${apiKey}\r\n\r\n`);
    const [beginning] = await once(socket, 'data');
    socket.pause();
    return { socket, beginning };
  }

  async function rest(socket: Socket): Promise<string> {
    const chunks: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.resume();
    if (!socket.closed) await once(socket, 'close');
    return Buffer.concat(chunks).toString();
  }

  async function operator(path: string, body: object): Promise<Record<string, string>> {
    const headers = { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' };
    const answer = await fetch(`${gateway.url}/admin/v1${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    return (await answer.json()) as Record<string, string>;
  }

  async function fillDirectory(): Promise<void> {
    const { id: tenant } = await operator('/tenants', { name: 'Ending' });
    apiKey = (await operator(`/tenants/${tenant}/api-keys`, { name: 'test' })).key ?? '';
    const rows = DirectoryFixture.connect(database.url);
    await rows.rows(
      `insert into identities (tenant_id, id, display_name, status, created_at, updated_at, document)
       select id, gen_random_uuid(), 'Person', 'active', now(), now(), '{"filler":"' || repeat('x', $1::integer) || '"}'
         from tenants`,
      [documentBytes],
    );
    await rows.close();
  }

  it('asks clients to use another connection meanwhile', async () => {
    await start();
    stopping.abort();
    const answer = await fetch(`${gateway.url}/v1/health`);
    expect([answer.status, answer.headers.get('connection')]).toEqual([200, 'close']);
    await gateway.close();
  });

  it('releases the lease of its outbox relay before it closes the database', async () => {
    await start();
    const rows = DirectoryFixture.connect(database.url);
    const leases = () => rows.rows(`select until > now() as held from relay_leases where producer = 'idsync_gateway'`);
    // Earlier tests have left a released lease.
    const isHeld = async () => (await leases()).some((lease) => (lease as { held: boolean }).held);
    await until(isHeld, 'the lease of the outbox relay');
    await end();
    expect(await leases()).toEqual([{ held: false }]);
    await rows.close();
  });

  it('lets a client read the whole of a response that has begun', async () => {
    await start();
    await fillDirectory();
    const { socket, beginning } = await beginReading();
    const ended = end();
    await expect(fetch(`${gateway.url}/v1/health`)).rejects.toThrow();
    const answer = beginning.toString() + (await rest(socket));
    const [head = '', body = ''] = answer.split('\r\n\r\n', 2);
    expect(body.length).toBeGreaterThan(documentBytes);
    expect(body.length).toBe(Number(/content-length: (\d+)/i.exec(head)?.[1]));
    await ended;
  });

  it('ends event streams at once, also those that their clients do not read', async () => {
    await start();
    const { id } = await operator('/tenants', { name: 'Streamed' });
    const open = async (): Promise<Socket> => {
      const socket = await connection();
      const credentials = `Authorization: Bearer ${adminToken}`;
      socket.write(`GET /admin/v1/tenants/${id}/events/stream HTTP/1.1\r\nHost: here\r\n${credentials}\r\n\r\n`);
      await once(socket, 'data');
      return socket;
    };
    const [read, unread] = [await open(), await open()];
    unread.pause();
    const begun = performance.now();
    const [text] = await Promise.all([rest(read), end()]);
    // The end of a chunked body: the response is complete.
    expect(text).toMatch(/0\r\n\r\n$/);
    expect(performance.now() - begun).toBeLessThan(10_000);
  });

  it('closes everything and reports a failure if a client does not read a response in time', async () => {
    await start({ responsesMs: 300, requestsMs: 100 });
    await beginReading();
    await expect(end()).rejects.toThrow('1 responses were not read by their clients within 0.3 s');
  });

  it('responds to a request that has partly arrived, and closes the connection', async () => {
    await start({ responsesMs: 60_000, requestsMs: 60_000 });
    const socket = await connection();
    socket.write('GET /v1/health HTTP/1.1\r\n');
    // A response on another connection implies that the server has read the part on this one.
    await fetch(`${gateway.url}/v1/health`);
    const ended = end();
    socket.write('Host: here\r\n\r\n');
    const answer = await rest(socket);
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(answer.toLowerCase()).toContain('connection: close');
    await ended;
  });

  it.each([
    ['sends no request', ''],
    ['never sends the end of its request', 'GET /v1/health HTTP/1.1\r\n'],
  ])('waits only briefly for a connection that %s', async (_, sent) => {
    await start({ responsesMs: 60_000, requestsMs: 50 });
    const socket = await connection();
    socket.write(sent);
    await fetch(`${gateway.url}/v1/health`);
    await end();
    expect(await rest(socket)).toBe('');
  });
});
