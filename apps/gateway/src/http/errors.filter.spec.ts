import { silentLogger } from '@idsync/runtime';
import { describe, expect, it } from '@jest/globals';
import { fastify } from 'fastify';
import { sendError } from './errors.filter.js';

describe('a request that fails unexpectedly', () => {
  it('is logged with its route, never with its path', async () => {
    const logged: object[] = [];
    const logger = { ...silentLogger, error: (fields: object | string) => void logged.push(Object(fields)) };
    const server = fastify({ routerOptions: { maxParamLength: 20_000 } });
    server.setErrorHandler((error, request, reply) => {
      sendError(error, request, reply, logger);
    });
    const fail = async () => {
      throw new Error('the database is away');
    };
    server.get('/v1/users/:id', fail);
    server.setNotFoundHandler(fail);
    const answers = [
      await server.inject(`/v1/users/${'a'.repeat(16_000)}?mail=ann@example.com`),
      await server.inject('/v1/ann@example.com'),
    ];
    expect(answers.map(({ statusCode, body }) => [statusCode, body])).toEqual([
      [500, '{"error":"internal server error"}'],
      [500, '{"error":"internal server error"}'],
    ]);
    const err = expect.objectContaining({ message: 'the database is away' });
    expect(logged).toEqual([
      { err, request: 'GET /v1/users/:id' },
      { err, request: 'GET none' },
    ]);
    await server.close();
  });
});
