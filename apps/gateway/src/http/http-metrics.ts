import { durations } from '@idsync/runtime';
import type { FastifyInstance } from 'fastify';
import { matchedRouteOf } from '../access/route-definition.js';
import { eventStreamType } from './event-stream.js';

const requests = durations({
  name: 'http_request_duration_seconds',
  help: 'How long requests took, by the pattern of their route.',
  labels: ['method', 'route', 'status'],
});

/** Labels by the matched route, because the number of possible URLs is unbounded. */
export function observeRequests(server: FastifyInstance): void {
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
