import { decodeId, errorTexts, includesRole } from '@idsync/contracts';
import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { AuditLog } from '../audit/audit-log.service.js';
import { FailedSignIns } from '../audit/failed-sign-ins.service.js';
import { ApiError, notFound } from '../http/api-error.js';
import { constantTimeEqual } from './api-key.js';
import type { OperatorCaller, OperatorSession } from './caller.js';
import { bearerTokenOf } from './key-access.js';
import { OperatorTokens } from './operator-tokens.service.js';
import { routeDefinitionOf } from './route-definition.js';
import { isRead, isSameOrigin } from './same-origin.js';
import { SessionCookie } from './session-cookie.service.js';
import { isSession } from './session-secret.js';
import { Sessions } from './sessions.service.js';

/**
 * Accepts operators by a bearer token or the cookie of a session, if they have the role and the tenants that the contracts
 * define for the route.
 */
@Injectable()
export class OperatorGuard {
  constructor(
    private readonly audit: AuditLog,
    private readonly failures: FailedSignIns,
    private readonly tokens: OperatorTokens,
    private readonly sessions: Sessions,
    private readonly cookie: SessionCookie,
  ) {}

  /** Throws a 401 for a missing or wrong token or session, and a 429 or 503 for too many wrong ones. */
  async identify(request: FastifyRequest): Promise<OperatorCaller> {
    const caller = await this.callerOf(request);
    if (caller) return caller;
    this.failures.count(request.ip);
    throw unauthorized();
  }

  /**
   * Returns whether the token or session of an accepted request is still valid and has the tenant, for responses that
   * last. Counts no failed sign-in. Every role may read what viewers may.
   */
  async hasAccessStill(request: FastifyRequest, tenantId: string): Promise<boolean> {
    const caller = await this.callerOf(request);
    return caller !== undefined && (caller.tenantIds?.has(tenantId) ?? true);
  }

  /** A bearer token, even a wrong one, is used instead of the cookie. */
  private async callerOf(request: FastifyRequest): Promise<OperatorCaller | undefined> {
    const token = bearerTokenOf(request);
    if (token !== undefined) {
      const session = isSession(token) ? this.sessions : undefined;
      return (session ?? this.tokens).identify(token, request.ip);
    }
    const cookie = this.cookie.read(request, 'session');
    const caller = cookie === undefined ? undefined : await this.sessions.identify(cookie, request.ip);
    return caller && { ...caller, byCookie: true };
  }

  /** Throws a 401, 403 or 404 for a caller that may not use the route. */
  allow(request: FastifyRequest): true | Promise<never> {
    const { caller } = request;
    if (caller?.access !== 'operator') throw unauthorized();
    const refusal = this.refusalOf(caller, request);
    return refusal === undefined || this.refuse(request, refusal);
  }

  private refusalOf(caller: OperatorCaller, request: FastifyRequest): ApiError | undefined {
    if (caller.session && caller.byCookie && !isRead(request)) {
      const forged = this.forgeryOf(caller.session, request);
      if (forged) return forged;
    }
    const { tenantId } = (request.params ?? {}) as { tenantId?: string };
    if (caller.tenantIds && tenantId !== undefined && !caller.tenantIds.has(decodeId('tenant', tenantId) ?? ''))
      return notFound();
    const { role: needed, forAllTenants } = routeDefinitionOf(request) ?? {};
    if (needed === undefined) return new ApiError(403, 'no role has access to this route');
    if (!includesRole(caller.role, needed))
      return new ApiError(403, `this needs the role ${needed}, the token has ${caller.role}`);
    if (forAllTenants && caller.tenantIds) return new ApiError(403, 'this needs a token for all tenants');
    return undefined;
  }

  /** Browsers send the cookie of a session also with requests of other pages. */
  private forgeryOf({ csrfToken }: OperatorSession, request: FastifyRequest): ApiError | undefined {
    if (!isSameOrigin(request, this.cookie.publicUrl)) return new ApiError(403, errorTexts.otherOrigin);
    const { 'x-csrf-token': given } = request.headers;
    const isRight = typeof given === 'string' && constantTimeEqual(given, csrfToken);
    return isRight ? undefined : new ApiError(403, errorTexts.csrfToken);
  }

  private async refuse(request: FastifyRequest, refusal: ApiError): Promise<never> {
    await this.audit.recordRefusal(request, refusal);
    throw refusal;
  }
}

const unauthorized = () => new ApiError(401, errorTexts.operatorUnauthorized);
