import { errorTexts } from '@idsync/contracts';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';
import { ApiError } from '../http/api-error.js';
import { type AccessKind, tenantOf } from './caller.js';

/** Declares the access of a controller or handler; `of-route`: the contract of its route, which also has the scope of a key. */
export const Access = Reflector.createDecorator<AccessKind | 'of-route'>();

/** Returns the tenant of the caller's key or portal link. */
export function tenantOfCaller({ caller }: FastifyRequest): string {
  const tenantId = tenantOf(caller);
  if (tenantId === undefined) throw new ApiError(401, errorTexts.unauthorized);
  return tenantId;
}

/** The tenant of the caller's key. */
export const CurrentTenant = createParamDecorator((_: unknown, context: ExecutionContext): string =>
  tenantOfCaller(context.switchToHttp().getRequest<FastifyRequest>()),
);
