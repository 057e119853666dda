import { type OpenSpan, openSpan } from '@idsync/runtime';
import type { FastifyInstance, FastifyRequest } from 'fastify';

/**
 * A span for each request that has passed authentication: nobody without a key makes us keep a trace, or chooses its id. Register it
 * after authentication.
 */
export function traceRequests(server: FastifyInstance): void {
  const spans = new WeakMap<FastifyRequest, OpenSpan>();
  server.addHook('onRequest', (request, _reply, done) => {
    const { method, routeOptions, headers } = request;
    if (!request.caller && !routeOptions.url?.startsWith('/admin/')) return done();
    const { traceparent } = headers;
    const span = openSpan(`${method} ${routeOptions.url ?? 'none'}`, {
      kind: 'server',
      parent: typeof traceparent === 'string' ? traceparent : null,
      attributes: {
        'http.request.method': method,
        'http.route': routeOptions.url ?? 'none',
        'idsync.request_id': request.id,
      },
    });
    spans.set(request, span);
    return span.within(done);
  });
  // A body arrives outside of what its request has begun.
  server.addHook('preValidation', (request, _reply, done) => {
    const span = spans.get(request);
    if (span) span.within(done);
    else done();
  });
  server.addHook('onResponse', async (request, reply) => {
    const status = reply.statusCode;
    const failed = status >= 500;
    spans
      .get(request)
      ?.end({ 'http.response.status_code': status, ...(failed && { 'error.type': `${status}` }) }, failed);
  });
  server.addHook('onRequestAbort', async (request) => {
    spans.get(request)?.end({ 'error.type': 'aborted' }, true);
  });
}
