import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { type LogContext, withLogContext } from '@idsync/runtime';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { tenantOf } from '../access/caller.js';
import { routeName } from '../access/route-definition.js';

/** Characters that are safe in logs and headers. */
const allowed = /^[\w.:/-]{1,128}$/;

/** Returns the caller's request id if it is allowed, else a new one. */
export function requestIdOf(request: Pick<IncomingMessage, 'headers'>): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && allowed.test(given) ? given : randomUUID();
}

type Log = { debug(fields: object, text: string): void };

/** Adds the request id to every response and to all log lines of the request. */
export function registerRequestIds(server: FastifyInstance, log: Log): void {
  const contexts = new WeakMap<FastifyRequest, LogContext>();
  server.addHook('onRequest', (request, _reply, done) => {
    const context = { request_id: request.id };
    contexts.set(request, context);
    withLogContext(context, done);
  });
  // The async context is lost while a body is parsed, so it is entered again.
  server.addHook('preValidation', (request, _reply, done) => {
    withLogContext({ ...contexts.get(request), ...tenantField(request) }, done);
  });
  server.addHook('onSend', (request, reply, _payload, done) => {
    reply.header('x-request-id', request.id);
    done();
  });
  server.addHook('onResponse', (request, reply, done) => {
    const fields = {
      request_id: request.id,
      ...tenantField(request),
      request: routeName(request),
      status: reply.statusCode,
      milliseconds: Math.round(reply.elapsedTime),
    };
    log.debug(fields, 'request completed');
    done();
  });
}

function tenantField({ caller }: FastifyRequest): { tenant_id?: string } {
  const tenantId = tenantOf(caller);
  return tenantId === undefined ? {} : { tenant_id: tenantId };
}
