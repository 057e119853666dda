import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { createTestDatabase, DirectoryFixture, type TestDatabase } from '@idsync/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { EndingTimes } from './client-connections.js';
import { type Gateway, startGateway } from './start.js';

const adminToken = 'the-operators-token-of-this-test';
/** Far more than the buffers between two sockets of one machine hold. */
const people = 200;
const documentBytes = 300_000;

describe('a gateway that is told to end', () => {
  let database: TestDatabase;
  let gateway: Gateway;
  let apiKey: string;
  const sockets: Socket[] = [];
  let told: AbortController;

  beforeAll(async () => {
    database = await createTestDatabase();
  });

  beforeEach(() => {
    told = new AbortController();
  });

  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
  });

  afterAll(async () => {
    await database?.drop();
  });

  async function start(endingTimes?: EndingTimes): Promise<void> {
    gateway = await startGateway({
      databaseUrl: database.url,
      host: '127.0.0.1',
      port: 0,
      adminToken,
      encryptionKeys: [Buffer.alloc(32, 1)],
      allowedCidrs: [],
      logLevel: 'fatal',
      stopping: told.signal,
      ...(endingTimes && { endingTimes }),
    });
  }

  function end(): Promise<void> {
    told.abort();
    return gateway.close();
  }

  async function connection(): Promise<Socket> {
    const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1');
    sockets.push(socket);
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    return socket;
  }

  /** Sends a request for a long page and leaves all but the beginning of its answer where it is. */
  async function unfetched(): Promise<{ socket: Socket; begun: Buffer }> {
    const socket = await connection();
    socket.write(`GET /v1/identities?limit=${people} HTTP/1.1\r\nHost: here\r\nX-API-Key: ${apiKey}\r\n\r\n`);
    const [begun] = await once(socket, 'data');
    socket.pause();
    return { socket, begun };
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
         from tenants, generate_series(1, $2::integer)`,
      [documentBytes, people],
    );
    await rows.close();
  }

  it('tells every caller meanwhile to come by another connection', async () => {
    await start();
    told.abort();
    const answer = await fetch(`${gateway.url}/v1/health`);
    expect([answer.status, answer.headers.get('connection')]).toEqual([200, 'close']);
    await gateway.close();
  });

  it('lets a caller fetch the whole of an answer that has begun', async () => {
    await start();
    await fillDirectory();
    const { socket, begun } = await unfetched();
    const ended = end();
    await expect(fetch(`${gateway.url}/v1/health`)).rejects.toThrow();
    const answer = begun.toString() + (await rest(socket));
    const [head = '', body = ''] = answer.split('\r\n\r\n', 2);
    expect(body.length).toBeGreaterThan(people * documentBytes);
    expect(body.length).toBe(Number(/content-length: (\d+)/i.exec(head)?.[1]));
    await ended;
  });

  it('fails, with everything closed, where a caller does not fetch an answer in time', async () => {
    await start({ answersMs: 300, requestsMs: 100 });
    await unfetched();
    await expect(end()).rejects.toThrow('1 answers were not fetched within 0.3 s');
  });

  it('answers a request of which a part has come, and closes the connection', async () => {
    await start({ answersMs: 60_000, requestsMs: 60_000 });
    const socket = await connection();
    socket.write('GET /v1/health HTTP/1.1\r\n');
    // A request that is answered on another connection has passed the part of this one.
    await fetch(`${gateway.url}/v1/health`);
    const ended = end();
    socket.write('Host: here\r\n\r\n');
    const answer = await rest(socket);
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(answer.toLowerCase()).toContain('connection: close');
    await ended;
  });

  it.each([
    ['asks for nothing', ''],
    ['never sends the end of its request', 'GET /v1/health HTTP/1.1\r\n'],
  ])('waits not long for a connection that %s', async (_, sent) => {
    await start({ answersMs: 60_000, requestsMs: 50 });
    const socket = await connection();
    socket.write(sent);
    await fetch(`${gateway.url}/v1/health`);
    await end();
    expect(await rest(socket)).toBe('');
  });
});
