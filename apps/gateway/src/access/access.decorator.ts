import { errorTexts } from '@idsync/contracts';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';
import { ApiError } from '../http/api-error.js';
import { type AccessKind, tenantOf } from './caller.js';

/** Declares the access of a controller or handler. The scope that a key needs is defined in the contracts. */
export const Access = Reflector.createDecorator<AccessKind>();

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
