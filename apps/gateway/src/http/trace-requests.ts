import { type OpenSpan, openSpan } from '@idsync/runtime';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { matchedRouteOf, routeName } from '../access/route-definition.js';

/**
 * Creates a span for each authenticated request. Must be registered after authentication, so that callers without a key can neither
 * create traces nor choose their ids.
 */
export function traceRequests(server: FastifyInstance): void {
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
