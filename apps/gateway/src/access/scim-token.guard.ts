import { decodeId, errorTexts } from '@idsync/contracts';
import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { ApiError } from '../http/api-error.js';
import { bearerTokenOf } from './bearer-token.js';
import type { Caller, ScimCaller } from './caller.js';
import { KeyRing } from './key-ring.service.js';

/** Accepts identity providers: the token of a connector as a bearer token, on paths of that connector. */
@Injectable()
export class ScimTokenGuard implements CanActivate {
  constructor(private readonly keyRing: KeyRing) {}

  /** Throws a 401, and the 429 or 503 of `KeyRing.identify`. */
  async identify(request: FastifyRequest): Promise<ScimCaller> {
    const token = bearerTokenOf(request);
    return allowed(token === undefined ? undefined : await this.keyRing.identify(token, request.ip), request);
  }

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    allowed(request.caller, request);
    return true;
  }
}

function allowed(caller: Caller | undefined, { params }: FastifyRequest): ScimCaller {
  const { connectorId = '' } = (params ?? {}) as { connectorId?: string };
  if (caller?.access !== 'scim-token' || caller.connectorId !== decodeId('connector', connectorId)) {
    throw new ApiError(401, 'missing or invalid token');
  }
  if (caller.isSuspended) throw new ApiError(403, errorTexts.suspended);
  return caller;
}
