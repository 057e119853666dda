import { encodeId, installationId, newUuid } from '@idsync/contracts';
import type { Database } from '@idsync/database';
import type { AuditInput } from '@idsync/database/gateway';
import { silentLogger } from '@idsync/runtime';
import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { HttpException } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { ApiError } from '../http/api-error.js';
import type { GatewaySettings } from '../shared/gateway-settings.service.js';
import { AuditLog } from './audit-log.service.js';

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
