import { decodeId, errorTexts, includesRole, type OperatorRole } from '@idsync/contracts';
import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { ConfigService } from '@nestjs/config';
import { Reflector } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';
import { AuditLog } from '../audit/audit-log.service.js';
import { FailedSignIns } from '../audit/failed-sign-ins.service.js';
import type { GatewayConfig } from '../gateway-config.js';
import { ApiError, notFound } from '../http/api-error.js';
import { constantTimeEqual } from './api-key.js';
import { bearerTokenOf } from './bearer-token.js';
import type { OperatorCaller } from './caller.js';
import { ForAllTenants, Needs, OperatorRoles } from './operator-roles.decorator.js';
import { ServiceTokens } from './service-tokens.service.js';

const adminTokenCaller: OperatorCaller = {
  access: 'operator',
  actor: { kind: 'admin_token', name: 'operator', role: 'admin' },
  role: 'admin',
};

/** Accepts operators by a bearer token, if their role and their tenants include the route. */
@Injectable()
export class OperatorGuard implements CanActivate {
  /** Absent if it is disabled. */
  private readonly adminToken: string | undefined;

  constructor(
    config: ConfigService<GatewayConfig, true>,
    private readonly reflector: Reflector,
    private readonly audit: AuditLog,
    private readonly failures: FailedSignIns,
    private readonly tokens: ServiceTokens,
  ) {
    if (!config.get('ADMIN_TOKEN_DISABLED', { infer: true }))
      this.adminToken = config.get('ADMIN_TOKEN', { infer: true });
  }

  /** Throws a 401 for a missing or wrong token, and the 429 or 503 of `ServiceTokens.identify`. */
  async identify(request: FastifyRequest): Promise<OperatorCaller> {
    const token = bearerTokenOf(request);
    const caller = token === undefined ? undefined : await this.callerOf(token, request.ip);
    if (caller) return caller;
    this.failures.count(request.ip);
    throw unauthorized();
  }

  private callerOf(token: string, address: string): OperatorCaller | Promise<OperatorCaller | undefined> {
    const isAdmin = this.adminToken !== undefined && constantTimeEqual(token, this.adminToken);
    return isAdmin ? adminTokenCaller : this.tokens.identify(token, address);
  }

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const { caller } = request;
    if (caller?.access !== 'operator') throw unauthorized();
    const refusal = this.refusalOf(caller, context, request);
    return refusal === undefined || this.refuse(request, refusal);
  }

  private refusalOf(caller: OperatorCaller, context: ExecutionContext, request: FastifyRequest): ApiError | undefined {
    const { tenantId } = (request.params ?? {}) as { tenantId?: string };
    if (caller.tenantIds && tenantId !== undefined && !caller.tenantIds.has(decodeId('tenant', tenantId) ?? ''))
      return notFound();
    const needed = this.neededRole(context, request);
    if (needed === undefined) return new ApiError(403, 'no role has access to this route');
    if (!includesRole(caller.role, needed))
      return new ApiError(403, `this needs the role ${needed}, the token has ${caller.role}`);
    const forAll = this.reflector.getAllAndOverride(ForAllTenants, [context.getHandler(), context.getClass()]);
    if (forAll && caller.tenantIds) return new ApiError(403, 'this needs a token for all tenants');
    return undefined;
  }

  private neededRole(context: ExecutionContext, { method }: FastifyRequest): OperatorRole | undefined {
    const own = this.reflector.get(Needs, context.getHandler());
    const roles = this.reflector.get(OperatorRoles, context.getClass());
    return own ?? (method === 'GET' || method === 'HEAD' ? roles?.read : roles?.write);
  }

  private async refuse(request: FastifyRequest, refusal: ApiError): Promise<never> {
    await this.audit.recordRefusal(request, refusal);
    throw refusal;
  }
}

const unauthorized = () => new ApiError(401, errorTexts.operatorUnauthorized);
