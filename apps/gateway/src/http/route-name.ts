import type { FastifyRequest } from 'fastify';
import { matchedRouteOf } from '../access/route-definition.js';

/** Names a request in logs by its matched route, because its path may contain personal data. */
export function routeName(request: FastifyRequest): string {
  return `${request.method} ${matchedRouteOf(request).url ?? 'none'}`;
}
