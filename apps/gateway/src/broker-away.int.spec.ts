import type { responses } from '@idsync/contracts';
import {
  type BrokerVhost,
  createTestDatabase,
  createVhost,
  DirectoryFixture,
  hasBroker,
  LatePort,
  type TestDatabase,
  until,
} from '@idsync/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { adminToken, gatewayConfig } from '../test/gateway-config.js';
import { type Gateway, startGateway } from './start.js';

(hasBroker() ? describe : describe.skip)('a gateway started while RabbitMQ is unreachable', () => {
  let database: TestDatabase;
  let vhost: BrokerVhost;
  let broker: LatePort;
  let rows: DirectoryFixture;
  let gateway: Gateway;

  beforeAll(async () => {
    database = await createTestDatabase();
    rows = DirectoryFixture.connect(database.url);
    vhost = await createVhost();
    broker = await LatePort.reserve(vhost.url);
    gateway = await startGateway(gatewayConfig(database.url, { AMQP_URL: broker.url }));
  });

  afterAll(async () => {
    await gateway?.close();
    await broker?.close();
    await vhost?.drop();
    await rows?.close();
    await database?.drop();
  });

  async function send(method: string, path: string, headers: Record<string, string>, body?: object) {
    const sent = { method, headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(body) };
    const answer = await fetch(gateway.url + path, sent);
    return { status: answer.status, body: (await answer.json()) as Record<string, string> };
  }

  async function health(): Promise<Record<string, string>> {
    return Object.fromEntries(
      await Promise.all(gateway.checks.map(async (check) => [check.name, await check.run()] as const)),
    );
  }

  async function system() {
    const answer = await fetch(`${gateway.url}/admin/v1/system`, {
      headers: { authorization: `Bearer ${adminToken}` },
    });
    const { broker: shown, queues } = (await answer.json()) as responses.System;
    return { broker: shown, queue: queues.find(({ name }) => name === 'sync-worker.jobs') };
  }

  const waiting = async () => (await rows.rows('select from outbox')).length;

  it('serves reads, accepts a sync, and publishes it when RabbitMQ is available', async () => {
    const operator = { authorization: `Bearer ${adminToken}` };
    const { body: tenant } = await send('POST', '/admin/v1/tenants', operator, { name: 'Test' });
    const { body: key } = await send('POST', `/admin/v1/tenants/${tenant.id}/api-keys`, operator, { name: 'test' });
    const config = { path: 'hr.csv', external_id: 'id', fields: { email: 'mail' } };
    const source = { type: 'csv', name: 'HR', records: 'user', priority: 10, config };
    const { body: connector } = await send('POST', `/admin/v1/tenants/${tenant.id}/connectors`, operator, source);

    const caller = { 'x-api-key': key.key ?? '' };
    expect((await send('GET', '/v1/identities', caller)).status).toBe(200);
    const triggered = await send('POST', '/v1/sync/trigger', caller, { connector_id: connector.id });
    expect(triggered).toMatchObject({ status: 202, body: { status: 'queued' } });
    expect(gateway.busUp).toBe(false);
    // Degraded instead of down, so that it still receives requests.
    expect(await health()).toEqual({ database: 'up', schema: 'up', bus: 'degraded', backlog: 'up' });
    expect(await waiting()).toBe(1);
    expect(await system()).toEqual({
      broker: { kind: 'rabbitmq', connected: false },
      queue: { name: 'sync-worker.jobs', service: 'sync-worker', dead_letters: 0 },
    });

    await broker.open();
    // A message leaves the outbox when the broker has confirmed it.
    await until(async () => (await waiting()) === 0, 'an empty outbox');
    expect(gateway.busUp).toBe(true);
    expect((await health()).bus).toBe('up');
    expect(await system()).toEqual({
      broker: { kind: 'rabbitmq', connected: true, version: expect.stringMatching(/^\d/) },
      queue: { name: 'sync-worker.jobs', service: 'sync-worker', messages: 1, consumers: 0, dead_letters: 0 },
    });
  });
});
