import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { boundedFetch } from './bounded-fetch.js';

let server: Server | undefined;

afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

async function serve(answer: RequestListener): Promise<string> {
  server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

describe('a request to the identity provider', () => {
  it('returns status, headers and body', async () => {
    const url = await serve((_, response) => response.writeHead(400, { 'x-one': '1' }).end('{"error":"no"}'));
    const response = await boundedFetch(5_000)(url, { method: 'POST', body: 'x' });
    expect([response.status, response.headers.get('x-one'), await response.json()]).toEqual([
      400,
      '1',
      { error: 'no' },
    ]);
  });

  it('follows no redirect', async () => {
    const paths: (string | undefined)[] = [];
    const url = await serve((request, response) => {
      paths.push(request.url);
      response.writeHead(302, { location: '/elsewhere' }).end();
    });
    const response = await boundedFetch(5_000)(url, {});
    expect([response.status, paths]).toEqual([302, ['/']]);
  });

  it('needs TLS if the issuer has it', async () => {
    const url = await serve((_, response) => response.end('{}'));
    await expect(boundedFetch(5_000, 'https://login.example.com')(url, {})).rejects.toThrow('without https');
    expect((await boundedFetch(5_000, 'http://localhost:9000')(url, {})).status).toBe(200);
  });

  it('fails beyond its size', async () => {
    const url = await serve((_, response) => response.end(Buffer.alloc(1_048_577)));
    await expect(boundedFetch(5_000)(url, {})).rejects.toThrow('larger than 1048576 bytes');
  });

  it('fails beyond its time, also if the response has begun', async () => {
    const url = await serve((_, response) => response.writeHead(200).write('{'));
    await expect(boundedFetch(50)(url, {})).rejects.toThrow('timeout');
  });
});
