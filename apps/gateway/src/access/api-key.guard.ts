import { decodeId, errorTexts, includesAccess, type RouteDefinition } from '@idsync/contracts';
import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { ApiError, notFound } from '../http/api-error.js';
import type { Caller, LinkCaller, Subscriber } from './caller.js';
import { KeyRing } from './key-ring.service.js';
import { routeDefinitionOf } from './route-definition.js';

/**
 * Accepts clients of a tenant: an API key in `X-API-Key` with the scope that the contracts define for the route, or the key
 * of a portal link on routes of its webhooks that the contracts open to links.
 */
@Injectable()
export class ApiKeyGuard implements CanActivate {
  constructor(private readonly keyRing: KeyRing) {}

  /** Identifies the caller by the request's API key. Throws a 401 or 403, and the 429 or 503 of `KeyRing.identify`. */
  async identify(request: FastifyRequest, route: RouteDefinition | undefined): Promise<Subscriber> {
    const key = request.headers['x-api-key'];
    const caller = typeof key === 'string' ? await this.keyRing.identify(key, request.ip) : undefined;
    return allowed(caller, route, request);
  }

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const route = routeDefinitionOf(request);
    allowed(request.caller, route, request);
    return route?.auth === 'key';
  }
}

type Params = Pick<FastifyRequest, 'params'>;

function allowed(caller: Caller | undefined, route: RouteDefinition | undefined, request: Params): Subscriber {
  if (caller?.access !== 'key' && caller?.access !== 'portal-link') throw new ApiError(401, errorTexts.unauthorized);
  if (caller.isSuspended) throw new ApiError(403, errorTexts.suspended);
  if (caller.access === 'portal-link') requireLinked(caller, route, request);
  if (route?.scope && !caller.scopes.has(route.scope))
    throw new ApiError(403, `the key lacks the scope ${route.scope}`);
  return caller;
}

/** Throws a 403 if the route is not open to the link, and a 404 for a webhook that it does not show. */
function requireLinked(
  { portal, webhookIds }: LinkCaller,
  route: RouteDefinition | undefined,
  { params }: Params,
): void {
  if (!route?.portal) throw new ApiError(403, 'a portal link may not do this');
  if (!includesAccess(portal, route.portal))
    throw new ApiError(403, `the portal link needs the access ${route.portal}, and has ${portal}`);
  if (!route.path.includes('{')) return;
  const { id = '' } = (params ?? {}) as { id?: string };
  if (!webhookIds.has(decodeId('webhook', id) ?? '')) throw notFound();
}
