import { decodeId } from '@idsync/contracts';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { OperatedGateway } from '../../test/operated-gateway.js';

let gateway: OperatedGateway;

beforeAll(async () => {
  gateway = await OperatedGateway.start();
});

afterAll(() => gateway?.close());

async function tenant(quotas: object) {
  const id: string = (await gateway.operator('POST', '/tenants', { name: 'Acme' })).body.id;
  const path = `/tenants/${id}`;
  expect((await gateway.operator('PUT', `${path}/quotas`, quotas)).status).toBe(200);
  const { key } = (await gateway.operator('POST', `${path}/api-keys`, { name: 'a' })).body;
  return { id, path, key };
}

async function ask(key: string, method: string, path: string, body?: object) {
  const answer = await fetch(`${gateway.url}${path}`, {
    method,
    headers: { 'x-api-key': key, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: answer.status, retryAfter: answer.headers.get('retry-after'), body: await answer.json() };
}

const pushed = (name: string) => ({ type: 'scim-push', name, config: {} });
const hook = { callback_url: 'https://receiver.example.com/', events: ['*'] };

describe('a quota', () => {
  it('refuses a further connector with the limit and the number, also if several are created at once', async () => {
    const { path } = await tenant({ connectors: 2 });
    const create = (name: string) => gateway.operator('POST', `${path}/connectors`, pushed(name));
    const answers = await Promise.all(['A', 'B', 'C', 'D'].map(create));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 403, 403]);
    expect((await create('E')).body).toEqual({ error: 'the quota of the tenant is 2 connectors, and it has 2' });
    const { data } = (await gateway.operator('GET', `${path}/connectors`)).body;
    await gateway.operator('DELETE', `${path}/connectors/${data[0].id}`);
    expect((await create('E')).status).toBe(201);
  });

  it('refuses a further webhook', async () => {
    const { key } = await tenant({ webhooks: 1 });
    expect((await ask(key, 'POST', '/v1/webhooks', hook)).status).toBe(201);
    expect(await ask(key, 'POST', '/v1/webhooks', hook)).toMatchObject({
      status: 403,
      body: { error: 'the quota of the tenant is 1 webhooks, and it has 1' },
    });
  });

  it('refuses further requests of all keys of the tenant with 429 until the minute is over', async () => {
    const { path, key } = await tenant({ requests_per_minute: 3 });
    const other = (await gateway.operator('POST', `${path}/api-keys`, { name: 'b' })).body.key;
    for (const each of [key, other, key]) expect((await ask(each, 'GET', '/v1/users')).status).toBe(200);
    const refused = await ask(other, 'GET', '/v1/users');
    expect(refused).toMatchObject({ status: 429, body: { error: 'the tenant may send 3 requests a minute' } });
    expect(Number(refused.retryAfter)).toBeGreaterThanOrEqual(1);
    expect((await gateway.operator('GET', `${path}/quotas`)).body.requests_per_minute).toEqual({ limit: 3, used: 4 });
    await gateway.operator('PUT', `${path}/quotas`, {});
    expect((await ask(key, 'GET', '/v1/users')).status).toBe(200);
  });

  it('is shown with its usage, and absent if it is unlimited', async () => {
    const { id, path } = await tenant({ people: 10 });
    const tenantId = decodeId('tenant', id);
    await gateway.fixture.rows(
      `insert into directory_counters (tenant_id, resource, status, count)
       values ($1, 'user', 'active', 7), ($1, 'user', 'deleted', 5), ($1, 'identity', 'active', 6)`,
      [tenantId],
    );
    expect((await gateway.operator('GET', `${path}/quotas`)).body).toEqual({
      people: { limit: 10, used: 7 },
      connectors: { used: 0 },
      webhooks: { used: 0 },
      requests_per_minute: { used: 0 },
    });
  });

  it('is in the audit log, and refused if it is no whole number', async () => {
    const { path } = await tenant({ people: 10 });
    const { data } = (await gateway.operator('GET', `${path}/audit?action=replaceQuotas`)).body;
    expect(data).toMatchObject([{ after: { people: 10 } }]);
    for (const wrong of [{ people: -1 }, { people: 1.5 }, { people: '1' }, { seats: 1 }]) {
      expect((await gateway.operator('PUT', `${path}/quotas`, wrong)).status).toBe(400);
    }
  });
});
