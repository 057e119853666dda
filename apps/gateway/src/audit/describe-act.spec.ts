import { describe, expect, it } from '@jest/globals';
import type { FastifyRequest } from 'fastify';
import { describeAct, describeRead, describeRefusal } from './describe-act.js';

const operator = { kind: 'token', name: 'Ada', role: 'admin' };

function request(changes: object = {}): FastifyRequest {
  return {
    method: 'DELETE',
    routeOptions: { url: '/admin/v1/tenants/:tenantId/webhooks/:webhookId' },
    params: { tenantId: 'ten_1', webhookId: 'wh_1' },
    ip: '192.0.2.1',
    id: 'req-1',
    caller: { access: 'operator', actor: operator },
    ...changes,
  } as unknown as FastifyRequest;
}

describe('the audit entry of an act', () => {
  it('has the actor, the address, the request and the last id of the path', () => {
    expect(describeAct(request(), {})).toMatchObject({
      outcome: 'accepted',
      actor: operator,
      address: '192.0.2.1',
      request_id: 'req-1',
      resource: 'wh_1',
    });
  });

  it('leaves out ids that a source assigned, because they may be data of a person', () => {
    const params = { connectorId: 'con_1', externalId: 'ada@example.org' };
    expect(describeAct(request({ params }), {}).resource).toBe('con_1');
    expect(describeAct(request({ params: { externalId: 'ada@example.org' } }), {})).not.toHaveProperty('resource');
    expect(describeAct(request({ params: undefined }), {})).not.toHaveProperty('resource');
  });

  it('cuts an id of the path to 100 characters', () => {
    expect(describeAct(request({ params: { id: 'x'.repeat(101) } }), {}).resource).toBe('x'.repeat(100));
  });

  it('has the body without its reason as the new state, and the reason beside it', () => {
    const entry = describeAct(request({ body: { name: 'HR', reason: 'a ticket' } }), {});
    expect(entry).toMatchObject({ after: { name: 'HR' }, reason: 'a ticket' });
  });

  it('prefers the states and the resource that the handler gives, and masks their secrets', () => {
    const before = { name: 'HR', password: 'p' };
    const entry = describeAct(request({ body: { name: 'IT' } }), { resource: 'whk_2', before, after: { token: 't' } });
    expect(entry).toMatchObject({
      resource: 'whk_2',
      before: { name: 'HR', password: '[masked]' },
      after: { token: '[masked]' },
    });
  });

  it('adds what the act created', () => {
    expect(describeAct(request({ body: { name: 'HR' } }), { created: { user_id: 'usr_1' } }).after).toEqual({
      name: 'HR',
      user_id: 'usr_1',
    });
  });

  it('has no new state without a body, or if the handler gives none', () => {
    expect(describeAct(request(), {})).not.toHaveProperty('after');
    expect(describeAct(request({ body: { name: 'HR' } }), { after: undefined })).not.toHaveProperty('after');
    expect(describeAct(request(), {})).not.toHaveProperty('before');
    expect(describeAct(request({ body: { reason: 1 } }), {})).not.toHaveProperty('reason');
  });

  it('cuts a reason to 1000 characters', () => {
    expect(describeAct(request({ body: { reason: 'x'.repeat(1_001) } }), {}).reason).toHaveLength(1_000);
  });

  it('is anonymous unless an operator is signed in', () => {
    const anonymous = { kind: 'anonymous', name: 'anonymous' };
    expect(describeAct(request({ caller: undefined }), {}).actor).toEqual(anonymous);
    expect(describeAct(request({ caller: { access: 'tenant' } }), {}).actor).toEqual(anonymous);
  });

  it('is unknown for a path without a contract', () => {
    expect(describeAct(request({ routeOptions: { url: '/elsewhere' } }), {}).action).toBe('unknown');
    expect(describeAct(request({ routeOptions: {} }), {}).action).toBe('unknown');
  });
});

describe('the audit entry of a refusal', () => {
  it('has the status and the error, and of the body only the reason', () => {
    const entry = describeRefusal(request({ body: { name: 'HR', reason: 'a ticket' } }), 403, 'not allowed');
    expect(entry).toMatchObject({ outcome: 'refused', status: 403, error: 'not allowed', reason: 'a ticket' });
    expect(entry).not.toHaveProperty('after');
  });

  it('cuts the error and the reason to 1000 characters, and ignores a reason that is no text', () => {
    const long = 'x'.repeat(1_001);
    const entry = describeRefusal(request({ body: { reason: long } }), 400, long);
    expect([entry.error?.length, entry.reason?.length]).toEqual([1_000, 1_000]);
    expect(describeRefusal(request({ body: { reason: ['a'] } }), 400, 'wrong')).not.toHaveProperty('reason');
    expect(describeRefusal(request({ body: null }), 400, 'wrong')).not.toHaveProperty('reason');
  });
});

describe('the audit entry of a read', () => {
  it('has the names of its filters without their values, at most 50', () => {
    expect(describeRead(request({ query: { email: 'ada@example.org' } })).after).toEqual({ filters: ['email'] });
    const query = Object.fromEntries(Array.from({ length: 51 }, (_, at) => [`name${at}`, '']));
    expect((describeRead(request({ query })).after as { filters: string[] }).filters).toHaveLength(50);
    expect(describeRead(request({ query: {} }))).not.toHaveProperty('after');
    expect(describeRead(request())).toMatchObject({ outcome: 'accepted', actor: operator });
  });
});
