import type { FastifyRequest } from 'fastify';

/** Names a request in logs by its matched route, because its path may contain personal data. */
export function routeName({ method, routeOptions }: FastifyRequest): string {
  return `${method} ${routeOptions.url ?? 'none'}`;
}
