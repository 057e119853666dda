import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';
import { ApiError } from '../http/api-error.js';
import { withoutRoute } from '../scim/without-route.js';
import { Access } from './access.decorator.js';
import { allowed, keyAccessTo, pathOf } from './key-access.js';
import { OperatorGuard } from './operator.guard.js';
import { routeDefinitionOf } from './route-definition.js';

/** The only global guard: accepts callers of the declared access, and rejects handlers that declare none. */
@Injectable()
export class AccessGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly operators: OperatorGuard,
  ) {}

  /** Waits only if an operator is refused, because a promise costs every request. */
  canActivate(context: ExecutionContext): true | Promise<true> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const route = routeDefinitionOf(request);
    const declared = this.reflector.getAllAndOverride(Access, [context.getHandler(), context.getClass()]);
    const access = declared === 'of-route' ? route?.auth : declared;
    switch (access) {
      case 'none':
        return true;
      case 'operator':
        return this.operators.allow(request);
      case 'key':
      case 'scim-key':
      case 'scim-token':
        if (access === 'scim-token' && keyAccessTo(pathOf(request)) === 'scim-key') throw withoutRoute(request);
        allowed(access, request.caller, request);
        if (access !== 'key' || route?.auth === 'key') return true;
    }
    throw new ApiError(403, 'access to this route is denied');
  }
}
