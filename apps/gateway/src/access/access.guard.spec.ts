import { encodeId, newUuid } from '@idsync/contracts';
import { describe, expect, it } from '@jest/globals';
import type { ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { AuditLog } from '../audit/audit-log.service.js';
import type { FailedSignIns } from '../audit/failed-sign-ins.service.js';
import { Access } from './access.decorator.js';
import { AccessGuard } from './access.guard.js';
import { ApiKeyGuard } from './api-key.guard.js';
import type { Caller } from './caller.js';
import type { KeyRing } from './key-ring.service.js';
import { OperatorGuard } from './operator.guard.js';
import type { OperatorTokens } from './operator-tokens.service.js';
import { ScimKeyGuard } from './scim-key.guard.js';
import { ScimTokenGuard } from './scim-token.guard.js';
import type { SessionCookie } from './session-cookie.service.js';
import type { Sessions } from './sessions.service.js';

const keyRing = {} as KeyRing;
const guard = new AccessGuard(
  new Reflector(),
  new ApiKeyGuard(keyRing),
  new OperatorGuard({} as AuditLog, {} as FailedSignIns, {} as OperatorTokens, {} as Sessions, {} as SessionCookie),
  new ScimTokenGuard(keyRing),
  new ScimKeyGuard(keyRing),
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

describe('a route handler', () => {
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
