import { encodeId, newUuid, type OperatorRole } from '@idsync/contracts';
import { describe, expect, it } from '@jest/globals';
import type { ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';
import type { AuditLog } from '../audit/audit-log.service.js';
import type { FailedSignIns } from '../audit/failed-sign-ins.service.js';
import { Access } from './access.decorator.js';
import { AccessGuard } from './access.guard.js';
import type { Caller, KeyCaller, OperatorCaller } from './caller.js';
import { allowed, keyAccessTo } from './key-access.js';
import { OperatorGuard } from './operator.guard.js';
import type { OperatorTokens } from './operator-tokens.service.js';
import type { SessionCookie } from './session-cookie.service.js';
import type { Sessions } from './sessions.service.js';

describe('a route handler', () => {
  const guard = new AccessGuard(
    new Reflector(),
    new OperatorGuard({} as AuditLog, {} as FailedSignIns, {} as OperatorTokens, {} as Sessions, {} as SessionCookie),
  );

  class Undeclared {
    handle(): void {}
  }
  @Access('none')
  class Open extends Undeclared {}
  @Access('key')
  class Keyed extends Undeclared {}
  @Access('operator')
  class Operated extends Undeclared {}
  @Access('scim-token')
  class Pushed extends Undeclared {}

  const holder = { keyId: 'a', tenantId: 'b' };
  const key = (...scopes: string[]): Caller => ({ access: 'key', ...holder, scopes: new Set(scopes) });
  const connectorId = newUuid();
  const scimToken: Caller = { access: 'scim-token', ...holder, connectorId };
  const otherToken: Caller = { ...scimToken, connectorId: newUuid() };
  const operator: Caller = { access: 'operator', actor: { kind: 'admin_token', name: 'operator' }, role: 'admin' };

  /** Returns 200, or the status of the error. */
  function statusOf(controller: typeof Undeclared, caller?: Caller, url = '/v1/users'): number {
    const request = {
      caller,
      method: 'GET',
      routeOptions: { url },
      params: { connectorId: encodeId('connector', connectorId) },
    };
    const context = {
      getHandler: () => controller.prototype.handle,
      getClass: () => controller,
      switchToHttp: () => ({ getRequest: () => request }),
    } as unknown as ExecutionContext;
    try {
      return guard.canActivate(context) === true ? 200 : 0;
    } catch (error) {
      return (error as { status: number }).status;
    }
  }

  it('denies every caller if it declares no access', () => {
    for (const caller of [undefined, key('users:read'), scimToken, operator]) {
      expect(statusOf(Undeclared, caller)).toBe(403);
    }
  });

  it('accepts every caller if it declares open access', () => {
    for (const caller of [undefined, key(), scimToken, operator]) expect(statusOf(Open, caller)).toBe(200);
  });

  it('with access for API keys denies other callers, keys without the scope, and routes missing from the contracts', () => {
    expect(statusOf(Keyed, key('users:read'))).toBe(200);
    for (const caller of [undefined, scimToken, operator]) expect(statusOf(Keyed, caller)).toBe(401);
    expect(statusOf(Keyed, key('identities:read'))).toBe(403);
    expect(statusOf(Keyed, key('users:read'), '/v1/nothing')).toBe(403);
  });

  it('with access for operators denies other callers', () => {
    expect(statusOf(Operated, operator, '/admin/v1/tenants')).toBe(200);
    for (const caller of [undefined, key('users:read'), scimToken]) expect(statusOf(Operated, caller)).toBe(401);
  });

  it('with access for identity providers denies other callers and tokens of other connectors', () => {
    expect(statusOf(Pushed, scimToken)).toBe(200);
    for (const caller of [undefined, key('users:read'), operator, otherToken]) {
      expect(statusOf(Pushed, caller)).toBe(401);
    }
  });
});

describe('the guard of operators:', () => {
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
      const request = {
        caller,
        method,
        routeOptions: { url: `${ofTenant}${path}` },
        params: { tenantId: encodeId('tenant', tenantId) },
      } as unknown as FastifyRequest;
      try {
        return (await guard.allow(request)) ? 200 : 0;
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
});

describe('a path for keys:', () => {
  it.each([
    ['/scim/v2/Users', 'scim-key'],
    ['/scim/v2/Users/usr_1', 'scim-key'],
    ['/scim/v3', 'scim-key'],
    ['/scim/', 'scim-key'],
    ['/scim/v2/con_1/Users', 'scim-token'],
    ['/scim/v2/:connectorId/Users', 'scim-token'],
    ['/v1/users', 'key'],
    ['/v1/scim/', 'key'],
    ['/v1', 'key'],
    ['/v10', undefined],
    ['/docs', undefined],
  ])('%s needs the key of the access %s', (path, expected) => {
    expect(keyAccessTo(path)).toBe(expected);
  });

  describe('an API key', () => {
    const key = (scopes: string[], isSuspended = false): KeyCaller => ({
      access: 'key',
      keyId: 'a',
      tenantId: 'b',
      scopes: new Set(scopes),
      isSuspended,
    });
    /** Returns the path, or the status of the error. */
    const read = (path: string, caller: KeyCaller | undefined) => {
      const request = { method: 'GET', url: path, routeOptions: {} } as Partial<FastifyRequest> as FastifyRequest;
      try {
        allowed('scim-key', caller, request);
        return path;
      } catch (error) {
        return (error as { status: number }).status;
      }
    };

    it('reads by SCIM what its scopes include, and how the service is configured', () => {
      const [users, groups, config] = ['/scim/v2/Users', '/scim/v2/Groups/grp_1', '/scim/v2/ServiceProviderConfig'];
      for (const path of [users, config]) expect(read(path, key(['users:read']))).toBe(path);
      expect(read(groups, key(['users:read']))).toBe(403);
      for (const path of [groups, config]) expect(read(path, key(['groups:read']))).toBe(path);
      expect(read(users, key(['groups:read']))).toBe(403);
    });

    it('reads nothing by SCIM if it is unknown or its tenant is suspended', () => {
      expect(read('/scim/v2/Users', undefined)).toBe(401);
      expect(read('/scim/v2/Users', key(['users:read'], true))).toBe(403);
    });
  });
});
