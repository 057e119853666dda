import { type RouteDefinition, routes } from '@idsync/contracts';
import type { FastifyRequest } from 'fastify';

const byRoute = new Map(
  routes.map((route) => [`${route.method} ${route.path.replaceAll(/\{(\w+)\}/g, ':$1')}`, route]),
);

/** Returns the contract of the matched route; SCIM and the API reference have none. */
export function routeDefinitionOf({ method, routeOptions }: FastifyRequest): RouteDefinition | undefined {
  return byRoute.get(`${method === 'HEAD' ? 'GET' : method} ${routeOptions.url ?? ''}`);
}
