import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Caller } from './caller.js';
import { allowed, type KeyAccess, keyAccessTo, keyIn, pathOf } from './key-access.js';
import { KeyRing } from './key-ring.service.js';
import { OperatorGuard } from './operator.guard.js';
import { RateLimit } from './rate-limit.service.js';
import { routeDefinitionOf } from './route-definition.js';

/**
 * Identifies the caller of a request before its body is read, also on paths below the API prefixes that match no route. Uses the
 * matched route instead of the URL, because one route can be written as many URLs.
 */
@Injectable()
export class Authentication {
  constructor(
    private readonly keyRing: KeyRing,
    private readonly operators: OperatorGuard,
    private readonly rateLimit: RateLimit,
  ) {}

  /** Throws a 401 or 403, or a 429 or 503 if a key or an address sends too many requests. */
  async authenticate(request: FastifyRequest): Promise<void> {
    const caller = await this.callerOf(request);
    request.caller = caller;
    if (caller && 'keyId' in caller) await this.rateLimit.take(caller);
  }

  private callerOf(request: FastifyRequest): Caller | undefined | Promise<Caller> {
    if (routeDefinitionOf(request)?.auth === 'none') return undefined;
    const path = pathOf(request);
    if (path.startsWith('/admin/')) return this.operators.identify(request);
    const access = keyAccessTo(path);
    return access && this.holderOf(access, request);
  }

  private async holderOf(access: KeyAccess, request: FastifyRequest): Promise<Caller> {
    const key = keyIn(access, request);
    return allowed(access, key === undefined ? undefined : await this.keyRing.identify(key, request.ip), request);
  }
}
