import { setImmediate as turn } from 'node:timers/promises';
import { encodeId, installationId, newUuid } from '@idsync/contracts';
import type { Database } from '@idsync/database';
import type { AuditInput } from '@idsync/database/gateway';
import { silentLogger } from '@idsync/runtime';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { HttpException } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { ApiError } from '../http/api-error.js';
import type { GatewaySettings } from '../shared/gateway-settings.service.js';
import { AuditLog } from './audit-log.service.js';
import { describeAct, describeRead, describeRefusal } from './describe-act.js';
import { FailedSignIns } from './failed-sign-ins.service.js';
import { bounded, masked } from './mask-secrets.js';
import { RefusedAddresses } from './refused-addresses.service.js';

describe('the audit log:', () => {
  const [existing, invented] = [newUuid(), newUuid()];
  const forbidden = new ApiError(403, 'no role has access to this route');
  let entries: (AuditInput & { chain: string })[];
  let warnings: number;
  let failure: Error | undefined;
  let audit: AuditLog;

  beforeEach(() => {
    entries = [];
    warnings = 0;
    failure = undefined;
    const readTransaction = async (id: string) => (id === existing ? { id } : undefined);
    audit = new AuditLog({ readTransaction } as object as Database, {} as GatewaySettings, {
      ...silentLogger,
      warn: () => {
        warnings += 1;
      },
    });
    jest.spyOn(audit, 'record').mockImplementation(async (chain, input) => {
      if (failure) throw failure;
      entries.push({ chain, ...input });
    });
  });

  function request(name = 'Ada', tenantId?: string): FastifyRequest {
    return {
      method: 'DELETE',
      routeOptions: { url: '/admin/v1/tenants/:tenantId' },
      params: tenantId === undefined ? {} : { tenantId: encodeId('tenant', tenantId) },
      ip: '192.0.2.1',
      id: 'req-1',
      caller: { access: 'operator', actor: { kind: 'service_token', name, role: 'viewer' } },
    } as unknown as FastifyRequest;
  }

  describe('a refused act', () => {
    it('is recorded in the chain of its tenant, or of the installation if that does not exist', async () => {
      const requests = [request('Ada', existing), request('Ada', invented), request()];
      for (const each of requests) await audit.recordRefusal(each, forbidden);
      expect(entries.map(({ chain }) => chain)).toEqual([existing, installationId, installationId]);
      expect(entries[0]).toMatchObject({ outcome: 'refused', status: 403, error: forbidden.message });
      expect(requests.map(({ audited }) => audited)).toEqual([true, true, true]);
    });

    it.each<[string, unknown, number]>([
      ['an error of the API', new ApiError(404, 'not found'), 1],
      ['an error of Nest', new HttpException('too large', 413), 1],
      ['a busy service', new ApiError(500, 'busy'), 0],
      ['a failed service', new HttpException('failed', 500), 0],
      ['any other failure', new Error('failed'), 0],
    ])('is recorded if the caller caused it: %s', async (_what, error, count) => {
      await audit.recordRefusal(request(), error);
      expect(entries).toHaveLength(count);
    });

    it('is recorded 300 times a minute for each actor, and once more with a note', async () => {
      for (let sent = 0; sent < 305; sent += 1) await audit.recordRefusal(request(), forbidden);
      const note = '; further refusals of this minute are not recorded';
      expect(entries.map(({ error }) => error)).toEqual([
        ...Array(300).fill(forbidden.message),
        forbidden.message + note,
      ]);
      await audit.recordRefusal(request('Bob'), forbidden);
      expect(entries).toHaveLength(302);
    });

    it('counts against the id of its actor, or the name of one without an id', async () => {
      const actors = [{ id: 'svt_1', name: 'Ada' }, { id: 'svt_2', name: 'Ada' }, { name: 'Bob' }, undefined];
      for (const actor of actors) {
        const sent = { ...request(), caller: actor && { access: 'operator', actor } } as FastifyRequest;
        for (let n = 0; n < 301; n += 1) await audit.recordRefusal(sent, forbidden);
      }
      expect(entries).toHaveLength(4 * 301);
    });

    it('that cannot be recorded is still refused, with a warning unless the database is away', async () => {
      const refused = request();
      failure = new Error('failed');
      await audit.recordRefusal(refused, forbidden);
      expect(warnings).toBe(1);
      failure = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
      await audit.recordRefusal(refused, forbidden);
      expect({ warnings, audited: refused.audited }).toEqual({ warnings: 1, audited: undefined });
    });
  });

  it('refused sign-ins of a person are recorded 300 times a minute', async () => {
    const actor = { kind: 'oidc' as const, id: 'p1', name: 'Ada' };
    for (let sent = 0; sent < 302; sent += 1) await audit.recordRefusedSignIn(request(), actor, 'no role');
    expect(entries).toHaveLength(300);
    expect(entries[0]).toMatchObject({ chain: installationId, status: 403, outcome: 'refused', error: 'no role' });
    await audit.recordRefusedSignIn(request(), { ...actor, id: 'p2' }, 'no role');
    expect(entries).toHaveLength(301);
    for (const name of [...Array(300).fill('Bob'), 'Eve'])
      await audit.recordRefusedSignIn(request(), { kind: 'oidc', name }, 'no role');
    expect(entries).toHaveLength(602);
    failure = new Error('failed');
    await expect(audit.recordRefusedSignIn(request(), { ...actor, id: 'p3' }, 'no role')).rejects.toBe(failure);
  });

  it('refusals are recorded again a minute after the first of an actor', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate'] });
    try {
      for (let sent = 0; sent < 302; sent += 1) await audit.recordRefusal(request('Zoe'), forbidden);
      await jest.advanceTimersByTimeAsync(59_000);
      await audit.recordRefusal(request('Zoe'), forbidden);
      expect(entries).toHaveLength(301);
      await jest.advanceTimersByTimeAsync(1_000);
      await audit.recordRefusal(request('Zoe'), forbidden);
      expect(entries).toHaveLength(302);
    } finally {
      jest.useRealTimers();
    }
  });

  it('an act that writes nothing is recorded as accepted', async () => {
    await audit.recordAct(request('Ada', existing));
    expect(entries).toMatchObject([{ chain: existing, outcome: 'accepted', actor: { name: 'Ada' } }]);
    failure = new Error('failed');
    await expect(audit.recordAct(request())).rejects.toBe(failure);
  });
});

describe('the entries of acts:', () => {
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
      const entry = describeAct(request({ body: { name: 'IT' } }), {
        resource: 'whk_2',
        before,
        after: { token: 't' },
      });
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
});

describe('failed sign-ins', () => {
  let entries: AuditInput['after'][];
  let statuses: unknown[];
  let failure: Error | undefined;
  let failed: FailedSignIns;

  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate'] });
    statuses = [];
    entries = [];
    failure = undefined;
    const record = async (_chain: string, { after, status }: AuditInput) => {
      await turn();
      if (failure) throw failure;
      entries.push(after);
      statuses.push(status);
    };
    failed = new FailedSignIns({ record } as Partial<AuditLog> as AuditLog, silentLogger);
  });

  afterEach(async () => {
    await failed.onApplicationShutdown();
    jest.useRealTimers();
  });

  it('are recorded in one entry with their number by network, the most frequent first', async () => {
    for (const address of ['192.0.2.1', '192.0.2.2', '192.0.2.2', undefined]) failed.count(address);
    await failed.flush();
    await failed.flush();
    expect(entries).toEqual([
      {
        requests: 4,
        networks: [
          { network: '192.0.2.2', count: 2 },
          { network: '192.0.2.1', count: 1 },
          { network: 'unknown', count: 1 },
        ],
      },
    ]);
  });

  it('name 20 networks, and count those beyond 1000 together', async () => {
    for (let n = 0; n < 1_010; n += 1) failed.count(`10.0.${n >> 8}.${n & 255}`);
    failed.count('10.0.0.0');
    await failed.flush();
    expect(entries).toMatchObject([{ requests: 1_011, networks: { length: 20 } }]);
    expect(entries).toMatchObject([
      {
        networks: {
          0: { network: 'other', count: 10 },
          1: { network: '10.0.0.0', count: 2 },
        },
      },
    ]);
  });

  it('are recorded later if that fails, together with those since then', async () => {
    failed.count('192.0.2.1');
    failure = new Error('the database is away');
    const recording = failed.flush();
    failed.count('192.0.2.1');
    failed.count('192.0.2.2');
    await recording;
    failure = undefined;
    await failed.flush();
    expect(entries).toEqual([
      {
        requests: 3,
        networks: [
          { network: '192.0.2.1', count: 2 },
          { network: '192.0.2.2', count: 1 },
        ],
      },
    ]);
  });

  it('are recorded as unauthorized requests every minute, and a last time when the gateway stops', async () => {
    failed.count('192.0.2.1');
    await jest.advanceTimersByTimeAsync(59_999);
    expect(statuses).toEqual([]);
    await jest.advanceTimersByTimeAsync(1);
    expect(statuses).toEqual([401]);
    failed.count('192.0.2.1');
    await failed.onApplicationShutdown();
    expect(statuses).toEqual([401, 401]);
    failed.count('192.0.2.1');
    await jest.advanceTimersByTimeAsync(60_000);
    expect(statuses).toEqual([401, 401]);
  });
});

describe('a state in the audit log', () => {
  it('has the names of secrets, but no value of one at any depth', () => {
    const given = {
      name: 'HR',
      secrets: { password: 'p', nested: { any: 'q' } },
      config: { auth: [{ client_secret: 's', user: 'u' }], apiKey: 'k', tokens: ['t'] },
      signing_secret: null,
      keys: ['employee_number'],
    };
    expect(masked(given)).toEqual({
      name: 'HR',
      secrets: { password: '[masked]', nested: { any: '[masked]' } },
      config: { auth: [{ client_secret: '[masked]', user: 'u' }], apiKey: '[masked]', tokens: ['[masked]'] },
      signing_secret: null,
      keys: ['employee_number'],
    });
  });

  it('beyond 16 KiB is replaced by its size and hash', () => {
    const large = { text: 'ü'.repeat(9_000) };
    expect(bounded({ text: 'x'.repeat(16_000) })).toEqual({ text: 'x'.repeat(16_000) });
    const longest = { text: 'x'.repeat(16_384 - '{"text":""}'.length) };
    expect(bounded(longest)).toBe(longest);
    expect(bounded(large)).toEqual({ omitted: true, bytes: 18_011, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect(bounded(undefined)).toBeUndefined();
  });
});

describe('the addresses from which a key was refused', () => {
  const [keyId, tenantId, brokenTenant] = [newUuid(), newUuid(), newUuid()];
  let entries: (AuditInput & { chain: string })[];
  let warnings: number;
  let addresses: RefusedAddresses;

  beforeEach(() => {
    entries = [];
    warnings = 0;
    const record = async (chain: string, input: AuditInput) => {
      if (chain === brokenTenant) throw new Error('the database is away');
      entries.push({ chain, ...input });
    };
    const audit = { record } as Partial<AuditLog> as AuditLog;
    addresses = new RefusedAddresses(audit, {
      ...silentLogger,
      warn: () => {
        warnings += 1;
      },
    });
  });

  const refused = (chain: string, ...list: string[]) => ({
    holder: { keyId, tenantId: chain },
    addresses: new Set(list),
  });

  it('are recorded once for each network, in the chain of the tenant', async () => {
    await addresses.record([refused(tenantId, '192.0.2.1', '2001:db8::1', '2001:db8::2')]);
    const id = encodeId('apiKey', keyId);
    expect(entries.map(({ chain, address, actor, resource }) => ({ chain, address, actor, resource }))).toEqual(
      ['192.0.2.1', '2001:db8:0:0::/64'].map((address) => ({
        chain: tenantId,
        address,
        actor: { kind: 'api_key', id, name: id },
        resource: id,
      })),
    );
    expect(warnings).toBe(0);
  });

  it('of other keys are recorded if those of one cannot be', async () => {
    await addresses.record([refused(brokenTenant, '192.0.2.1'), refused(tenantId, '192.0.2.2')]);
    expect(entries.map(({ address }) => address)).toEqual(['192.0.2.2']);
    expect(warnings).toBe(1);
  });
});
