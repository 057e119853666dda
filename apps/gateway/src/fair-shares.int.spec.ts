import { decodeId } from '@idsync/contracts';
import { Database } from '@idsync/database';
import { lockWebhook } from '@idsync/database/gateway';
import { until } from '@idsync/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { OperatedGateway } from '../test/operated-gateway.js';

interface Answer {
  status: number;
  retryAfter: string | null;
  body: Record<string, unknown>;
}

interface Tenant {
  id: string;
  keys: string[];
  webhook: string;
}

let gateway: OperatedGateway;
let blocker: Database;

beforeAll(async () => {
  gateway = await OperatedGateway.start();
  blocker = await Database.connect({ url: gateway.database.url, service: 'gateway' });
});

afterAll(async () => {
  await blocker?.close();
  await gateway?.close();
});

async function send(key: string, method: string, path: string, body?: object): Promise<Answer> {
  const answer = await fetch(`${gateway.url}${path}`, {
    method,
    headers: { 'x-api-key': key, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  return {
    status: answer.status,
    retryAfter: answer.headers.get('retry-after'),
    body: JSON.parse(await answer.text()),
  };
}

async function newTenant(keys: number): Promise<Tenant> {
  const { id } = (await gateway.operator('POST', '/tenants', { name: 'Test' })).body;
  const issued: string[] = [];
  for (let nth = 0; nth < keys; nth += 1) issued.push(await newKey(id));
  const webhook = { callback_url: 'https://example.com/hook', events: ['*'] };
  const made = await send(issued[0] ?? '', 'POST', '/v1/webhooks', webhook);
  return { id, keys: issued, webhook: String(made.body.id) };
}

async function newKey(tenant: string): Promise<string> {
  return (await gateway.operator('POST', `/tenants/${tenant}/api-keys`, { name: 'test' })).body.key;
}

/** Connections of the gateway that wait for a lock. */
async function held(): Promise<number> {
  const rows = await gateway.fixture.rows(
    `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  );
  return rows.length;
}

/** Locks the tenant's webhook while `work` runs, so that every change of it waits and holds its connection. */
async function whileHeld(tenant: Tenant, work: () => Promise<void>): Promise<void> {
  const [tenantId, webhookId] = [decodeId('tenant', tenant.id) ?? '', decodeId('webhook', tenant.webhook) ?? ''];
  await blocker.transaction(tenantId, async (tx) => {
    expect(await lockWebhook(tx, webhookId)).toBeDefined();
    await work();
  });
}

const change = ({ webhook }: Tenant, key: string) => send(key, 'PATCH', `/v1/webhooks/${webhook}`, { active: true });

describe('a tenant that floods the gateway', () => {
  it('receives 503 with Retry-After beyond its fair share, while other tenants, operators and new keys are served', async () => {
    const flooding = await newTenant(2);
    const modest = await newTenant(1);
    const [greedy = '', other = ''] = flooding.keys;
    const [key = ''] = modest.keys;
    const answers: Answer[] = [];
    const flood: Promise<unknown>[] = [];
    const request = (of: string) => flood.push(change(flooding, of).then((answer) => answers.push(answer)));
    await whileHeld(flooding, async () => {
      for (let nth = 0; nth < 200; nth += 1) request(greedy);
      await until(() => answers.length > 0);
      expect(await held()).toBe(3);
      for (let nth = 0; nth < 50; nth += 1) request(other);
      await until(async () => (await held()) === 4);
      for (let round = 0; round < 5; round += 1) {
        expect((await send(key, 'GET', '/v1/identities')).status).toBe(200);
        expect((await send(key, 'GET', `/v1/users/${round}`)).status).toBe(404);
        expect((await send(await newKey(modest.id), 'GET', '/v1/webhooks')).status).toBe(200);
        expect((await send('', 'GET', '/v1/users')).status).toBe(401);
        expect((await fetch(`${gateway.url}/v1/health`)).status).toBe(200);
        const operated = await gateway.operator('GET', `/tenants/${flooding.id}/webhooks/${flooding.webhook}`);
        expect(operated.status).toBe(200);
        expect(await held()).toBe(4);
      }
      expect((await change(modest, key)).status).toBe(200);
      await until(() => answers.length === 246);
    });
    await Promise.all(flood);
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused).toHaveLength(246);
    for (const { status, retryAfter, body } of refused) {
      expect(status).toBe(503);
      expect(Number(retryAfter)).toBeGreaterThanOrEqual(1);
      expect(body).toEqual({ error: 'too many requests wait for the database: try again later' });
    }
    expect((await send(greedy, 'GET', '/v1/webhooks')).status).toBe(200);
  }, 120_000);
});

describe('a database statement of a request', () => {
  it('is stopped after its timeout, and the request receives 503 with Retry-After', async () => {
    const tenant = await newTenant(1);
    const [key = ''] = tenant.keys;
    await whileHeld(tenant, async () => {
      const response = change(tenant, key);
      await until(async () => (await held()) === 1);
      // PostgreSQL does the same after 30 s, with the same SQLSTATE.
      await gateway.fixture.rows(
        `select pg_cancel_backend(pid) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
      expect(await response).toEqual({
        status: 503,
        retryAfter: '30',
        body: { error: 'the request took longer than 30 s and was stopped: request less at once' },
      });
    });
  });

  it('receives 503 with Retry-After if PostgreSQL terminates its connection, and the next request is served', async () => {
    const tenant = await newTenant(1);
    const [key = ''] = tenant.keys;
    await whileHeld(tenant, async () => {
      const response = change(tenant, key);
      await until(async () => (await held()) === 1);
      await gateway.fixture.rows(
        `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
      expect(await response).toEqual({
        status: 503,
        retryAfter: '5',
        body: { error: 'the database is not available: try again later' },
      });
      expect((await send(key, 'GET', '/v1/webhooks')).status).toBe(200);
    });
  });
});

describe('a list with updated_since', () => {
  it('accepts an offset up to 10000, and a cursor beyond it', async () => {
    const [key = ''] = (await newTenant(1)).keys;
    for (const list of ['identities', 'users']) {
      const path = `/v1/${list}?updated_since=2026-01-01T00:00:00Z`;
      expect((await send(key, 'GET', `${path}&offset=10000`)).status).toBe(200);
      expect((await send(key, 'GET', `${path}&offset=10001&cursor=`)).status).toBe(200);
      expect((await send(key, 'GET', `/v1/${list}?offset=10001`)).status).toBe(200);
      expect(await send(key, 'GET', `${path}&offset=10001`)).toMatchObject({
        status: 400,
        body: { error: 'offset must be at most 10000 with updated_since, got 10001: use cursor instead' },
      });
    }
  });
});
