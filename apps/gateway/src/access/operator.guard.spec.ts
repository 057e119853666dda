import { describe, expect, it } from '@jest/globals';
import { Reflector } from '@nestjs/core';
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
    new Reflector(),
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
