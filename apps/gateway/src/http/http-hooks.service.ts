import { durations, Logger, type OpenSpan, openSpan } from '@idsync/runtime';
import { Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Authentication } from '../access/authentication.service.js';
import { matchedRouteOf } from '../access/route-definition.js';
import { registerOperatorRequests } from '../audit/request-context.js';
import { registerScimConcurrency } from '../scim/scim-concurrency.js';
import { acceptJson, acceptLogoutForm } from './accept-json.js';
import { bodyBounds, scimPrefix } from './body-bounds.js';
import { registerDatabaseShares } from './database-share.js';
import { eventStreamType } from './event-stream.js';
import { HttpOptions } from './http-options.js';
import { registerRequestIds } from './request-id.js';
import { routeName } from './route-name.js';

/**
 * Registers Fastify hooks in order. They run before a body is read, where Nest's guards would be too late, and on all responses.
 * Hooks that do not wait take a callback, because an async hook costs every request two promises.
 */
@Injectable()
export class HttpHooks {
  constructor({ httpAdapter }: HttpAdapterHost, authentication: Authentication, logger: Logger, options: HttpOptions) {
    const server = httpAdapter.getInstance<FastifyInstance>();
    registerRequestIds(server, logger);
    observeRequests(server);
    server.addHook('onRequest', (request) => authentication.authenticate(request));
    traceRequests(server);
    registerDatabaseShares(server);
    registerOperatorRequests(server);
    server.addHook('onSend', (_request, reply, _payload, done) => {
      reply.headers({ 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' });
      if (options.stopping?.aborted) reply.header('connection', 'close');
      // Responses contain personal data, and secrets that are shown once.
      if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'no-store');
      done();
    });
    registerScimConcurrency(server);
    acceptJson(server);
    acceptLogoutForm(server);
    // A hook, because Nest registers the routes later.
    server.addHook('onRoute', (route) => {
      if (route.url.startsWith(scimPrefix)) route.bodyLimit = bodyBounds.group.bytes;
    });
  }
}

const requests = durations({
  name: 'http_request_duration_seconds',
  help: 'How long requests took, by the pattern of their route.',
  labels: ['method', 'route', 'status'],
});

/** Labels by the matched route, because the number of possible URLs is unbounded. */
function observeRequests(server: FastifyInstance): void {
  server.addHook('onResponse', (request, reply, done) => {
    // A stream lasts as long as its client is there, which would hide slow requests.
    if (reply.getHeader('content-type') === eventStreamType && reply.statusCode === 200) return done();
    const route = matchedRouteOf(request).url;
    requests.observe(
      {
        method: route === undefined ? 'any' : request.method,
        route: route ?? 'none',
        status: String(reply.statusCode),
      },
      reply.elapsedTime / 1_000,
    );
    done();
  });
}

/**
 * Creates a span for each authenticated request. Must be registered after authentication, so that callers without a key can neither
 * create traces nor choose their ids.
 */
function traceRequests(server: FastifyInstance): void {
  const spans = new WeakMap<FastifyRequest, OpenSpan>();
  server.addHook('onRequest', (request, _reply, done) => {
    const { method, headers } = request;
    if (!request.caller) return done();
    const { traceparent } = headers;
    const span = openSpan(routeName(request), {
      kind: 'server',
      parent: typeof traceparent === 'string' ? traceparent : null,
      attributes: {
        'http.request.method': method,
        'http.route': matchedRouteOf(request).url ?? 'none',
        'idsync.request_id': request.id,
      },
    });
    spans.set(request, span);
    return span.within(done);
  });
  // The async context is lost while a body is parsed, so it is entered again.
  server.addHook('preValidation', (request, _reply, done) => {
    const span = spans.get(request);
    if (span) span.within(done);
    else done();
  });
  server.addHook('onResponse', (request, reply, done) => {
    const status = reply.statusCode;
    const failed = status >= 500;
    spans
      .get(request)
      ?.end({ 'http.response.status_code': status, ...(failed && { 'error.type': `${status}` }) }, failed);
    done();
  });
  server.addHook('onRequestAbort', (request, done) => {
    spans.get(request)?.end({ 'error.type': 'aborted' }, true);
    done();
  });
}
