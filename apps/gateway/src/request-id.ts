import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { type LogContext, withLogContext } from '@idsync/runtime';
import type { FastifyInstance, FastifyRequest } from 'fastify';

/** What a caller may choose: nothing that a log or a header could take for something else. */
const sane = /^[\w.:/-]{1,128}$/;

/** The caller's own id of a request, if it is one that can be kept; a new one otherwise. */
export function requestIdOf(request: Pick<IncomingMessage, 'headers'>): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && sane.test(given) ? given : randomUUID();
}

type Log = { debug(told: object, text: string): void };

/** Every answer tells the id of its request, and every line in the logs that is about it carries it. */
export function registerRequestIds(server: FastifyInstance, log: Log): void {
  const contexts = new WeakMap<FastifyRequest, LogContext>();
  server.addHook('onRequest', (request, _reply, done) => {
    const context = { request_id: request.id };
    contexts.set(request, context);
    withLogContext(context, done);
  });
  // A body arrives outside of what its request has begun.
  server.addHook('preValidation', (request, _reply, done) => {
    const { caller } = request;
    withLogContext({ ...contexts.get(request), ...(caller && { tenant_id: caller.tenantId }) }, done);
  });
  server.addHook('onSend', async (request, reply) => {
    reply.header('x-request-id', request.id);
  });
  // The route and not the address, which may be a search for somebody.
  server.addHook('onResponse', async (request, reply) => {
    const { method, routeOptions, caller } = request;
    const told = {
      request_id: request.id,
      ...(caller && { tenant_id: caller.tenantId }),
      request: `${method} ${routeOptions.url ?? 'none'}`,
      status: reply.statusCode,
      milliseconds: Math.round(reply.elapsedTime),
    };
    log.debug(told, 'answered');
  });
}
