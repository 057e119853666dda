import { decodeId } from '@idsync/contracts';
import { Database } from '@idsync/database';
import { recordEvents } from '@idsync/database/bus';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { OperatedGateway } from '../../test/operated-gateway.js';

let database: Database;
let gateway: OperatedGateway;
let tenant: string;
let key: string;

beforeAll(async () => {
  gateway = await OperatedGateway.start();
  database = await Database.connect({ url: gateway.database.url, service: 'gateway' });
});

beforeEach(async () => {
  tenant = (await gateway.operator('POST', '/tenants', { name: 'Test' })).body.id;
  key = await issue({ name: 'test' });
});

afterAll(async () => {
  await database?.close();
  await gateway?.close();
});

const issue = async (body: object) => (await gateway.operator('POST', `/tenants/${tenant}/api-keys`, body)).body.key;

async function ask(query = '', withKey = key) {
  const answer = await fetch(`${gateway.url}/v1/events${query}`, { headers: { 'x-api-key': withKey } });
  const body = (await answer.json()) as { data: object[]; next_after: number; limit: number };
  return { status: answer.status, type: answer.headers.get('content-type'), body };
}

async function recordJobEvents(count: number): Promise<void> {
  const uuid = decodeId('tenant', tenant) ?? '';
  const events = Array.from({ length: count }, (_, index) => ({
    type: 'sync.job.completed' as const,
    occurredAt: new Date('2026-01-31T12:00:00Z'),
    details: { status: 'completed', note: `"${index}"` },
  }));
  await database.transaction(uuid, (tx) => recordEvents(tx, events));
}

describe('GET /v1/events', () => {
  it('returns events in the format of webhooks and the next position', async () => {
    await recordJobEvents(3);
    expect(await ask('?limit=2')).toEqual({
      status: 200,
      type: 'application/json; charset=utf-8',
      body: {
        data: [1, 2].map((sequence) => ({
          id: expect.stringMatching(/^evt_/),
          type: 'sync.job.completed',
          timestamp: '2026-01-31T12:00:00.000Z',
          tenant_id: tenant,
          sequence,
          data: { status: 'completed', note: `"${sequence - 1}"`, changed: ['status'] },
        })),
        next_after: 2,
        has_more: true,
        limit: 2,
      },
    });
    expect((await ask('?after=2')).body).toMatchObject({ data: [{ sequence: 3 }], next_after: 3, has_more: false });
    expect((await ask('?after=3')).body).toEqual({ data: [], next_after: 3, has_more: false, limit: 50 });
  });

  it('begins with later events after latest, and rejects a position above the newest event', async () => {
    expect((await ask('?after=latest')).body).toMatchObject({ data: [], next_after: 0, has_more: false });
    expect(await ask('?after=1')).toMatchObject({ status: 400, body: { error: expect.stringMatching('at most 0') } });
    await recordJobEvents(3);
    expect((await ask('?after=latest&types=user.*')).body).toMatchObject({ data: [], next_after: 3, has_more: false });
    const error = 'after must be at most 3, the newest sequence';
    expect(await ask('?after=4')).toMatchObject({ status: 400, body: { error } });
  });

  it('caps the limit at 200 and filters by type', async () => {
    await recordJobEvents(201);
    const { body } = await ask('?limit=100000');
    expect([body.data.length, body.limit, body.next_after]).toEqual([200, 200, 200]);
    expect((await ask('?types=user.*,sync.job.completed&limit=3')).body.data).toHaveLength(3);
    expect((await ask('?types=user.*,identity.created')).body).toMatchObject({ data: [], next_after: 201 });
  });

  it.each([
    ['after', '-1'],
    ['after', 'x'],
    ['after', '1.5'],
    ['after', ''],
    ['after', '9999999999999999'],
    ['after', '1&after=2'],
    ['limit', '0'],
    ['limit', '-1'],
    ['limit', 'x'],
    ['types', ''],
    ['types', 'user.created,'],
    ['types', 'user*'],
    ['types', 'User.created'],
    ['types', '%25'],
    ['types', 'a&types=b'],
    ['types', 'x'.repeat(129)],
    ['types', Array.from({ length: 101 }, (_, index) => `a${index}`).join(',')],
  ])('rejects %s=%.40s with 400 and names the parameter', async (name, value) => {
    expect(await ask(`?${name}=${value}`)).toMatchObject({
      status: 400,
      body: { error: expect.stringMatching(`^${name} must be `) },
    });
  });

  it('requires the scope events:read, which keys have by default', async () => {
    expect((await ask('', await issue({ name: 'reader', scopes: ['events:read'] }))).status).toBe(200);
    expect(await ask('', await issue({ name: 'other', scopes: ['identities:read', 'webhooks:write'] }))).toMatchObject({
      status: 403,
      body: { error: 'the key lacks the scope events:read' },
    });
  });

  it('returns nothing of another tenant', async () => {
    await recordJobEvents(1);
    const { body: other } = await gateway.operator('POST', '/tenants', { name: 'Other' });
    tenant = other.id ?? '';
    expect((await ask('', await issue({ name: 'other' }))).body).toMatchObject({ data: [], next_after: 0 });
  });
});
