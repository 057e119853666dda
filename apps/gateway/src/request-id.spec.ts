import { createLogger } from '@idsync/runtime';
import { describe, expect, it } from '@jest/globals';
import { fastify } from 'fastify';
import { registerRequestIds, requestIdOf } from './request-id.js';

describe("a caller's id of a request", () => {
  it.each(['a', '4bf92f35-77b3.4da6:a3ce/9_29', 'x'.repeat(128)])('is kept where it is sane: %s', (id) => {
    expect(requestIdOf({ headers: { 'x-request-id': id } })).toBe(id);
  });

  it.each([
    ['missing', undefined],
    ['empty', ''],
    ['too long', 'x'.repeat(129)],
    ['of two lines', 'a\r\nb'],
    ['with a quote', 'a"b'],
    ['with what a terminal obeys', '\u001b[31m'],
  ])('is replaced where it is %s', (_what, id) => {
    expect(requestIdOf({ headers: { 'x-request-id': id } })).toMatch(/^[0-9a-f-]{36}$/);
  });
});

describe('a request', () => {
  it('is told of at level debug by its id and its route, whatever came of it, and never by its address', async () => {
    const lines: string[] = [];
    const server = fastify({ genReqId: requestIdOf });
    // An answer is told of after whoever asked has it.
    const bothTold = new Promise<void>((resolve) => {
      const write = (line: string) => lines.push(line) === 2 && resolve();
      registerRequestIds(server, createLogger('gateway', 'debug', { write }));
    });
    server.get('/v1/users/:id', async (_request, reply) => reply.status(403).send({ error: 'no' }));
    await server.inject({ url: '/v1/users/usr_1?search=louis', headers: { 'x-request-id': 'theirs:1' } });
    await server.inject('/elsewhere');
    await bothTold;
    await server.close();
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { request_id: 'theirs:1', request: 'GET /v1/users/:id', status: 403, msg: 'answered' },
      { request: 'GET none', status: 404, msg: 'answered' },
    ]);
    expect(lines.join()).not.toMatch(/louis|usr_1|elsewhere/);
  });
});
