import { expect, it } from '@jest/globals';
import type { FastifyRequest } from 'fastify';
import { bearerTokenOf } from './bearer-token.js';

it.each([
  ['Bearer abc', 'abc'],
  ['bearer abc', 'abc'],
  ['Basic abc', undefined],
  ['Bearer ', undefined],
  ['Bearer', undefined],
  ['abc', undefined],
  [undefined, undefined],
])('the bearer token of the header %j is %j', (authorization, token) => {
  expect(bearerTokenOf({ headers: { authorization } } as FastifyRequest)).toBe(token);
});
