import { errorTexts, type RouteDefinition } from '@idsync/contracts';
import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { ApiError } from '../http/api-error.js';
import type { Caller, KeyCaller } from './caller.js';
import { KeyRing } from './key-ring.service.js';
import { routeDefinitionOf } from './route-definition.js';

/** Accepts clients of a tenant: an API key in `X-API-Key` with the scope that the contracts define for the route. */
@Injectable()
export class ApiKeyGuard implements CanActivate {
  constructor(private readonly keyRing: KeyRing) {}

  /** Identifies the caller by the request's API key. Throws a 401 or 403, and the 429 or 503 of `KeyRing.identify`. */
  async identify(request: FastifyRequest, route: RouteDefinition | undefined): Promise<KeyCaller> {
    const key = request.headers['x-api-key'];
    return allowed(typeof key === 'string' ? await this.keyRing.identify(key, request.ip) : undefined, route);
  }

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const route = routeDefinitionOf(request);
    allowed(request.caller, route);
    return route?.auth === 'key';
  }
}

function allowed(caller: Caller | undefined, route: RouteDefinition | undefined): KeyCaller {
  if (caller?.access !== 'key') throw new ApiError(401, errorTexts.unauthorized);
  if (caller.isSuspended) throw new ApiError(403, errorTexts.suspended);
  if (route?.scope && !caller.scopes.has(route.scope))
    throw new ApiError(403, `the key lacks the scope ${route.scope}`);
  return caller;
}
