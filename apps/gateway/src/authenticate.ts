import { decodeId, errorTexts, type RouteDefinition, routes } from '@idsync/contracts';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiError } from './api-error.js';
import { sameText } from './api-key.js';
import type { Caller, KeyRing } from './key-ring.js';
import type { RateLimit } from './rate-limit.js';

declare module 'fastify' {
  interface FastifyRequest {
    caller?: Caller;
  }
}

const byRoute = new Map(
  routes.map((route) => [`${route.method} ${route.path.replaceAll(/\{(\w+)\}/g, ':$1')}`, route]),
);

/**
 * Asks for a key or the operator's token before anything else happens, on every route and on every path that would be one.
 * It goes by the route that matched, not by the text of the address, which can be written in many ways.
 */
export function registerAuthentication(
  server: FastifyInstance,
  keyRing: KeyRing,
  adminToken: string,
  rateLimit: RateLimit,
): void {
  server.addHook('onRequest', async (request) => {
    await authenticate(request, keyRing, adminToken);
    if (request.caller) await rateLimit.take(request.caller.keyId);
  });
}

/** Notes the caller of a request. Throws a 401 or 403. */
export async function authenticate(request: FastifyRequest, keyRing: KeyRing, adminToken: string): Promise<void> {
  const route = routeOf(request);
  const path = request.routeOptions.url ?? decodedPath(request.url);
  if (route?.auth === 'none') return;
  if (path.startsWith('/admin/')) requireOperator(request, adminToken);
  else if (path.startsWith('/v1/') || path === '/v1') request.caller = await requireKey(request, keyRing, route);
  else if (path.startsWith('/scim/')) request.caller = await requireToken(request, keyRing);
}

/** The caller of a route that needs a key; a route that got here without one is closed, not open. */
export function callerOf(request: FastifyRequest): Caller {
  if (!request.caller) throw new ApiError(401, errorTexts.unauthorized);
  return request.caller;
}

function requireOperator(request: FastifyRequest, adminToken: string): void {
  const [scheme, token] = (request.headers.authorization ?? '').split(' ');
  if (scheme?.toLowerCase() !== 'bearer' || !token || !sameText(token, adminToken)) {
    throw new ApiError(401, errorTexts.operatorUnauthorized);
  }
}

async function requireKey(
  request: FastifyRequest,
  keyRing: KeyRing,
  route: RouteDefinition | undefined,
): Promise<Caller> {
  const key = request.headers['x-api-key'];
  const caller = typeof key === 'string' ? await keyRing.identify(key) : undefined;
  // What pushes to one connector opens nothing else.
  if (!caller || caller.connectorId !== undefined) throw new ApiError(401, errorTexts.unauthorized);
  if (route?.scope && !caller.scopes.has(route.scope))
    throw new ApiError(403, `the key lacks the scope ${route.scope}`);
  return caller;
}

/** A connector's token, on the address of that connector. */
async function requireToken(request: FastifyRequest, keyRing: KeyRing): Promise<Caller> {
  const [scheme, token] = (request.headers.authorization ?? '').split(' ');
  const caller = scheme?.toLowerCase() === 'bearer' && token ? await keyRing.identify(token) : undefined;
  const { connectorId = '' } = (request.params ?? {}) as { connectorId?: string };
  if (caller?.connectorId === undefined || caller.connectorId !== decodeId('connector', connectorId)) {
    throw new ApiError(401, 'missing or invalid token');
  }
  return caller;
}

function routeOf(request: FastifyRequest): RouteDefinition | undefined {
  const method = request.method === 'HEAD' ? 'GET' : request.method;
  return byRoute.get(`${method} ${request.routeOptions.url ?? ''}`);
}

function decodedPath(url: string): string {
  const path = url.split('?', 1)[0] ?? '';
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
