import { newUuid } from '@idsync/contracts';
import { describe, expect, it } from '@jest/globals';
import { resourceOf } from './guarded-inputs.js';
import { type IssuedActor, isSecondPerson } from './is-second-person.js';
import { presentApproval } from './present-approval.js';

describe('an approver', () => {
  const admin: IssuedActor = { kind: 'admin_token', name: 'operator', role: 'admin' };
  const token = (name: string, issuer: string): IssuedActor => ({
    kind: 'service_token',
    id: `svt_${name}`,
    name,
    role: 'admin',
    issuer,
  });
  const eva = token('eva', 'operator');
  const bob = token('bob', 'operator');

  it.each([
    ['has a token of another name', eva, bob, true],
    ['has the same token', eva, eva, false],
    ['has another token of the same name', eva, { ...eva, id: 'svt_other' }, false],
    ['uses the token that the requester issued', admin, eva, false],
    ['issued the token of the requester', eva, admin, false],
    ['issued another token', token('eva', 'carol'), admin, true],
    ['is the shared token, as is the requester', admin, admin, false],
  ])('that %s counts as a second person only if nobody could act alone', (_, requester, approver, expected) => {
    expect(isSecondPerson(requester, approver)).toBe(expected);
  });
});

describe('an approval', () => {
  const at = (hour: number) => new Date(Date.UTC(2026, 10, 24, hour));
  const pending = {
    id: newUuid(),
    status: 'pending',
    action: 'releaseSyncJob',
    input: { job_id: 'job_1', reason: 'layoffs' },
    resource: 'job_1',
    reason: 'layoffs',
    requestedBy: { kind: 'service_token', name: 'eva' },
    createdAt: at(9),
    expiresAt: at(21),
    decidedBy: null,
    decidedAt: null,
    decisionReason: null,
    operationId: null,
  } as unknown as Parameters<typeof presentApproval>[0];

  it('shows who asked for a pending act, until when, and no decision', () => {
    const shown = presentApproval(pending);
    expect(shown).toMatchObject({
      status: 'pending',
      action: 'releaseSyncJob',
      role: 'operator',
      resource: 'job_1',
      requested_by: 'eva',
      requested_at: '2026-11-24T09:00:00.000Z',
      expires_at: '2026-11-24T21:00:00.000Z',
    });
    expect(shown.approval_id).toMatch(/^apr_/);
    expect(shown).not.toHaveProperty('decision');
  });

  it('shows who decided, and the operation that the decision started', () => {
    const decided = {
      decidedBy: { name: 'ben' },
      decidedAt: at(10),
      decisionReason: 'checked',
      operationId: newUuid(),
    };
    const shown = presentApproval({ ...pending, ...decided, status: 'approved' } as typeof pending);
    expect(shown.decision).toEqual({ by: 'ben', at: '2026-11-24T10:00:00.000Z', reason: 'checked' });
    expect(shown.operation_id).toMatch(/^opn?_|^op/);
  });

  it.each([
    [{ job_id: 'job_1', reason: 'x' }, 'job_1'],
    [{ identity_id: 'idn_1' }, 'idn_1'],
    [{ connector_id: 'con_1', priority: 3 }, 'con_1'],
    [{ four_eyes: true }, undefined],
  ])('finds the resource that %j addresses', (input, resource) => {
    expect(resourceOf(input)).toBe(resource);
  });
});
