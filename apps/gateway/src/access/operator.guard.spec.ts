import { encodeId, newUuid, type OperatorRole } from '@idsync/contracts';
import { describe, expect, it } from '@jest/globals';
import type { ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { AuditLog } from '../audit/audit-log.service.js';
import type { FailedSignIns } from '../audit/failed-sign-ins.service.js';
import type { OperatorCaller } from './caller.js';
import { OperatorGuard } from './operator.guard.js';
import type { OperatorTokens } from './operator-tokens.service.js';
import type { SessionCookie } from './session-cookie.service.js';
import type { Sessions } from './sessions.service.js';

const request = { headers: { authorization: 'Bearer secret' } } as Partial<FastifyRequest> as FastifyRequest;

function hasAccessStill(caller: Pick<OperatorCaller, 'tenantIds'> | undefined, tenantId: string): Promise<boolean> {
  const found = caller && { access: 'operator', actor: { kind: 'admin_token', name: 'operator' }, ...caller };
  const guard = new OperatorGuard(
    {} as AuditLog,
    {} as FailedSignIns,
    { identify: () => found } as Partial<OperatorTokens> as OperatorTokens,
    {} as Sessions,
    {} as SessionCookie,
  );
  return guard.hasAccessStill(request, tenantId);
}

describe('an operator who receives a response that lasts', () => {
  it('has access while the token is valid and has the tenant', async () => {
    expect(await hasAccessStill({}, 'a')).toBe(true);
    expect(await hasAccessStill({ tenantIds: new Set(['a', 'b']) }, 'a')).toBe(true);
    expect(await hasAccessStill({ tenantIds: new Set(['b']) }, 'a')).toBe(false);
    expect(await hasAccessStill(undefined, 'a')).toBe(false);
  });
});

describe('a route of a tenant', () => {
  const audit = { recordRefusal: async () => undefined } as Partial<AuditLog> as AuditLog;
  const guard = new OperatorGuard(
    audit,
    {} as FailedSignIns,
    {} as OperatorTokens,
    {} as Sessions,
    {} as SessionCookie,
  );

  const ofTenant = '/admin/v1/tenants/:tenantId';

  /** Returns 200, or the status of the error. */
  async function statusOf(
    tenantIds: string[] | undefined,
    tenantId: string,
    { path = '/webhooks', method = 'GET', role = 'viewer' as OperatorRole } = {},
  ): Promise<number> {
    const caller: OperatorCaller = {
      access: 'operator',
      actor: { kind: 'admin_token', name: 'operator' },
      role,
      ...(tenantIds && { tenantIds: new Set(tenantIds) }),
    };
    const context = {
      switchToHttp: () => ({
        getRequest: () => ({
          caller,
          method,
          routeOptions: { url: `${ofTenant}${path}` },
          params: { tenantId: encodeId('tenant', tenantId) },
        }),
      }),
    } as unknown as ExecutionContext;
    try {
      return (await guard.canActivate(context)) ? 200 : 0;
    } catch (error) {
      return (error as { status: number }).status;
    }
  }

  it('is unknown to operators of other tenants only', async () => {
    const [own, other] = [newUuid(), newUuid()];
    expect([await statusOf([own], own), await statusOf([own], other), await statusOf(undefined, other)]).toEqual([
      200, 404, 200,
    ]);
  });

  it('is closed to every role if the contracts do not define it', async () => {
    expect(await statusOf(undefined, newUuid(), { path: '/undefined' })).toBe(403);
  });

  it('is forbidden to roles that do not include the one it needs', async () => {
    expect(await statusOf(undefined, newUuid(), { method: 'POST' })).toBe(403);
  });

  it('is forbidden to operators of some tenants if it concerns the installation', async () => {
    const [own, change] = [newUuid(), { path: '/quotas', method: 'PUT', role: 'admin' } as const];
    expect([await statusOf([own], own, change), await statusOf(undefined, own, change)]).toEqual([403, 200]);
  });
});
