import { createLogger } from '@idsync/runtime';
import { describe, expect, it } from '@jest/globals';
import { fastify } from 'fastify';
import { registerRequestIds, requestIdOf } from './request-id.js';

describe("a caller's request id", () => {
  it.each(['a', '4bf92f35-77b3.4da6:a3ce/9_29', 'x'.repeat(128)])('is kept if it is safe: %s', (id) => {
    expect(requestIdOf({ headers: { 'x-request-id': id } })).toBe(id);
  });

  it.each([
    ['missing', undefined],
    ['empty', ''],
    ['too long', 'x'.repeat(129)],
    ['of two lines', 'a\r\nb'],
    ['with a quote', 'a"b'],
    ['with a terminal escape sequence', '\u001b[31m'],
  ])('is replaced if it is %s', (_what, id) => {
    expect(requestIdOf({ headers: { 'x-request-id': id } })).toMatch(/^[0-9a-f-]{36}$/);
  });
});

describe('a request', () => {
  it('is logged at level debug with its id and route, never with its URL, whether it succeeds or fails', async () => {
    const lines: string[] = [];
    const server = fastify({ genReqId: requestIdOf });
    // A request is logged after its response is sent.
    const bothLogged = new Promise<void>((resolve) => {
      const write = (line: string) => lines.push(line) === 2 && resolve();
      registerRequestIds(server, createLogger('gateway', 'debug', { write }));
    });
    server.get('/v1/users/:id', async (_request, reply) => reply.status(403).send({ error: 'no' }));
    await server.inject({ url: '/v1/users/usr_1?search=louis', headers: { 'x-request-id': 'theirs:1' } });
    await server.inject('/elsewhere');
    await bothLogged;
    await server.close();
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { request_id: 'theirs:1', request: 'GET /v1/users/:id', status: 403, msg: 'request completed' },
      { request: 'GET none', status: 404, msg: 'request completed' },
    ]);
    expect(lines.join()).not.toMatch(/louis|usr_1|elsewhere/);
  });
});
