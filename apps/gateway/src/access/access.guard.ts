import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ApiError } from '../http/api-error.js';
import { Access } from './access.decorator.js';
import { ApiKeyGuard } from './api-key.guard.js';
import type { AccessKind } from './caller.js';
import { OperatorGuard } from './operator.guard.js';
import { ScimKeyGuard } from './scim-key.guard.js';
import { ScimTokenGuard } from './scim-token.guard.js';

/** The only global guard: delegates to the guard of the declared access, and rejects handlers that declare none. */
@Injectable()
export class AccessGuard implements CanActivate {
  private readonly guards: ReadonlyMap<AccessKind, CanActivate>;

  constructor(
    private readonly reflector: Reflector,
    apiKeys: ApiKeyGuard,
    operators: OperatorGuard,
    scimTokens: ScimTokenGuard,
    scimKeys: ScimKeyGuard,
  ) {
    this.guards = new Map<AccessKind, CanActivate>([
      ['none', { canActivate: () => true }],
      ['key', apiKeys],
      ['operator', operators],
      ['scim-token', scimTokens],
      ['scim-key', scimKeys],
    ]);
  }

  /** Waits only if the guard does, because a promise costs every request. */
  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const access = this.reflector.getAllAndOverride(Access, [context.getHandler(), context.getClass()]);
    const outcome = this.guards.get(access)?.canActivate(context);
    return outcome instanceof Promise ? outcome.then(allowed) : allowed(outcome);
  }
}

function allowed(outcome: unknown): true {
  if (outcome !== true) throw new ApiError(403, 'access to this route is denied');
  return true;
}
