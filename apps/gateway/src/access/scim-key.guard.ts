import { errorTexts, type Scope } from '@idsync/contracts';
import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { ApiError } from '../http/api-error.js';
import { bearerTokenOf } from './bearer-token.js';
import type { Caller, KeyCaller } from './caller.js';
import { KeyRing } from './key-ring.service.js';

const resource = /^\/scim\/v2\/(Users|Groups)(\/|$)/;
const scopes: Readonly<Record<string, Scope>> = { Users: 'users:read', Groups: 'groups:read' };
/** A path or a route with the id of a connector, which receives pushes. */
const pushed = /^\/scim\/v2\/(con_|:)/;

/** Returns whether the path belongs to the SCIM service that reads, or to none. */
export function isScimRead(path: string): boolean {
  return path.startsWith('/scim/') && !pushed.test(path);
}

/** Accepts SCIM clients of a tenant: an API key as a bearer token or in `X-API-Key`, with the scope of the resource. */
@Injectable()
export class ScimKeyGuard implements CanActivate {
  constructor(private readonly keyRing: KeyRing) {}

  /** Throws a 401 or 403, and the 429 or 503 of `KeyRing.identify`. */
  async identify(request: FastifyRequest, path: string): Promise<KeyCaller> {
    const header = request.headers['x-api-key'];
    const key = bearerTokenOf(request) ?? (typeof header === 'string' ? header : undefined);
    return allowed(key === undefined ? undefined : await this.keyRing.identify(key, request.ip), path);
  }

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    allowed(request.caller, request.routeOptions.url ?? '');
    return true;
  }
}

function allowed(caller: Caller | undefined, path: string): KeyCaller {
  if (caller?.access !== 'key') throw new ApiError(401, errorTexts.unauthorized);
  if (caller.isSuspended) throw new ApiError(403, errorTexts.suspended);
  const scope = scopes[resource.exec(path)?.[1] ?? ''];
  if (scope && !caller.scopes.has(scope)) throw new ApiError(403, `the key lacks the scope ${scope}`);
  return caller;
}
