import { type RouteDefinition, routes } from '@idsync/contracts';
import type { FastifyRequest } from 'fastify';

/** The route that a request matched. */
interface MatchedRoute {
  /** Pattern; absent if no route matches. */
  url: string | undefined;
  /** Absent for SCIM and the API reference. */
  definition: RouteDefinition | undefined;
}

declare module 'fastify' {
  interface FastifyRequest {
    matchedRoute?: MatchedRoute;
  }
}

const byRoute = new Map(
  routes.map((route) => [`${route.method} ${route.path.replaceAll(/\{(\w+)\}/g, ':$1')}`, route]),
);

/** Returns the matched route. It is kept, because Fastify creates `routeOptions` at every access. */
export function matchedRouteOf(request: FastifyRequest): MatchedRoute {
  request.matchedRoute ??= find(request);
  return request.matchedRoute;
}

/** Returns the contract of the matched route; SCIM and the API reference have none. */
export function routeDefinitionOf(request: FastifyRequest): RouteDefinition | undefined {
  return matchedRouteOf(request).definition;
}

function find({ method, routeOptions: { url } }: FastifyRequest): MatchedRoute {
  return { url, definition: byRoute.get(`${method === 'HEAD' ? 'GET' : method} ${url ?? ''}`) };
}

/** Names a request in logs by its matched route, because its path may contain personal data. */
export function routeName(request: FastifyRequest): string {
  return `${request.method} ${matchedRouteOf(request).url ?? 'none'}`;
}
