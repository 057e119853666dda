import { decodeId, errorTexts, includesAccess, type RouteDefinition, type Scope } from '@idsync/contracts';
import type { FastifyRequest } from 'fastify';
import { ApiError, notFound } from '../http/api-error.js';
import type { AccessKind, Caller, LinkCaller } from './caller.js';
import type { KeyHolder } from './find-holder.js';
import { matchedRouteOf, routeDefinitionOf } from './route-definition.js';

/** Access with a key of the `KeyRing`. */
export type KeyAccess = Extract<AccessKind, 'key' | 'scim-key' | 'scim-token'>;

const scimResource = /^\/scim\/v2\/(Users|Groups)(\/|$)/;
const scimScopes: Readonly<Record<string, Scope>> = { Users: 'users:read', Groups: 'groups:read' };
/** A path or a route with the id of a connector, which receives pushes. */
const pushed = /^\/scim\/v2\/(con_[^/]*|:)/;

/** Returns the path of the matched route, or if there is none, the one of the request. */
export function pathOf(request: FastifyRequest): string {
  const { url } = matchedRouteOf(request);
  const { connectorId } = (request.params ?? {}) as { connectorId?: string };
  // The routes for pushes match longer paths of the service that reads, too.
  const isOfReader = url !== undefined && pushed.test(url) && !connectorId?.startsWith('con_');
  if (url !== undefined && !isOfReader) return url;
  const path = request.url.split('?', 1)[0] ?? '';
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** Returns the access to a path, also to one that matches no route; undefined outside of the prefixes for keys. */
export function keyAccessTo(path: string): KeyAccess | undefined {
  if (path.startsWith('/v1/') || path === '/v1') return 'key';
  if (!path.startsWith('/scim/')) return undefined;
  return pushed.test(path) ? 'scim-token' : 'scim-key';
}

/** Returns the key in a request: of clients in `X-API-Key`, of identity providers a bearer token, of SCIM clients either. */
export function keyIn(access: KeyAccess, request: FastifyRequest): string | undefined {
  const bearer = access === 'key' ? undefined : bearerTokenOf(request);
  const header = request.headers['x-api-key'];
  return bearer ?? (access !== 'scim-token' && typeof header === 'string' ? header : undefined);
}

/** Returns the caller. Throws a 401 for another kind of caller, and a 403 for one that may not do this. */
export function allowed(access: KeyAccess, caller: Caller | undefined, request: FastifyRequest): KeyHolder {
  const holder = holderFor(access, caller, request);
  if (!holder) throw new ApiError(401, access === 'scim-token' ? 'missing or invalid token' : errorTexts.unauthorized);
  if (holder.isSuspended) throw new ApiError(403, errorTexts.suspended);
  const route = routeDefinitionOf(request);
  if (holder.access === 'portal-link') requireLinked(holder, route, request);
  const scope = access === 'scim-key' ? scimScopes[scimResource.exec(pathOf(request))?.[1] ?? ''] : route?.scope;
  if (scope && holder.access !== 'scim-token' && !holder.scopes.has(scope))
    throw new ApiError(403, `the key lacks the scope ${scope}`);
  return holder;
}

/** Portal links have the access of clients. The token of a connector is for this connector only. */
function holderFor(access: KeyAccess, caller: Caller | undefined, request: FastifyRequest): KeyHolder | undefined {
  if (access !== 'scim-token')
    return caller?.access === 'key' || (caller?.access === 'portal-link' && access === 'key') ? caller : undefined;
  // Without a matching route, the connector is in the path: identity providers take a 401 for an invalid token.
  const inPath = pushed.exec(pathOf(request))?.[1] ?? '';
  const { connectorId = inPath } = (request.params ?? {}) as { connectorId?: string };
  const isOwn = caller?.access === 'scim-token' && caller.connectorId === decodeId('connector', connectorId);
  return isOwn ? caller : undefined;
}

/** Throws a 403 if the route is not open to the link, and a 404 for a webhook that it does not show. */
function requireLinked(
  { portal, webhookIds }: LinkCaller,
  route: RouteDefinition | undefined,
  { params }: FastifyRequest,
): void {
  if (!route?.portal) throw new ApiError(403, 'a portal link may not do this');
  if (!includesAccess(portal, route.portal))
    throw new ApiError(403, `the portal link needs the access ${route.portal}, and has ${portal}`);
  if (!route.path.includes('{')) return;
  const { id = '' } = (params ?? {}) as { id?: string };
  if (!webhookIds.has(decodeId('webhook', id) ?? '')) throw notFound();
}

export function bearerTokenOf({ headers }: FastifyRequest): string | undefined {
  const [scheme, token] = (headers.authorization ?? '').split(' ');
  return scheme?.toLowerCase() === 'bearer' && token ? token : undefined;
}
