import { Logger } from '@idsync/runtime';
import { Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance } from 'fastify';
import { Authentication } from '../access/authentication.service.js';
import { registerRequests } from '../audit/request-context.js';
import { registerScimConcurrency } from '../scim/scim-concurrency.js';
import { acceptJson, acceptLogoutForm } from './accept-json.js';
import { bodyBounds, scimPrefix } from './body-bounds.js';
import { observeRequests } from './http-metrics.js';
import { HttpOptions } from './http-options.js';
import { registerRequestIds } from './request-id.js';
import { traceRequests } from './trace-requests.js';

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
    registerRequests(server);
    server.addHook('onSend', (request, reply, payload, done) => {
      if (payload && request.url.startsWith(scimPrefix)) reply.type('application/scim+json; charset=utf-8');
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
