import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
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
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Receiver } from '../apps/webhook-dispatcher/test/receiver.js';
import { Client, createConnector, createTenant, type Tenant } from './support/client.js';
import { Services } from './support/services.js';

/** A process ends within 30 s after a signal, plus a margin for a busy machine. */
const closesWithinSeconds = 35;

if (!hasBroker()) process.stderr.write('AMQP_URL is not set: shutdown during a RabbitMQ outage is not tested.\n');

describe('services that receive SIGTERM', () => {
  let database: TestDatabase;
  let postgres: LatePort;
  let vhost: BrokerVhost | undefined;
  let broker: LatePort | undefined;
  let admin: DirectoryFixture;
  let services: Services | undefined;
  let receiver: Receiver;
  let source: Server;
  const calls = new Set<Socket>();

  beforeEach(async () => {
    database = await createTestDatabase();
    postgres = await LatePort.reserve(database.url);
    await postgres.open();
    admin = DirectoryFixture.connect(database.url);
    receiver = await Receiver.start();
    source = createServer((socket) => void calls.add(socket.on('error', () => undefined))).listen(0, '127.0.0.1');
    await once(source, 'listening');
  });

  afterEach(async () => {
    await services?.stop();
    services = undefined;
    for (const socket of calls) socket.destroy();
    calls.clear();
    source.close();
    await receiver.close();
    await broker?.close();
    broker = undefined;
    await postgres.close();
    await admin.close();
    await vhost?.drop();
    vhost = undefined;
    await database.drop();
  });

  async function start({ amqp }: { amqp: boolean }): Promise<Services> {
    if (amqp) {
      vhost = await createVhost();
      broker = await LatePort.reserve(vhost.url);
      await broker.open();
    }
    services = await Services.start({
      databaseUrl: postgres.url,
      amqpUrl: broker?.url,
      sourcesDir: 'samples',
      allowedCidrs: '127.0.0.0/8',
      sourceCidrs: '127.0.0.0/8',
    });
    for (const url of Object.values(services.internalUrls)) {
      await until(
        async () => (await fetch(`${url}/readyz`).catch(() => undefined))?.ok === true,
        `${url} is ready`,
        90_000,
      );
    }
    return services;
  }

  async function terminateAll(running: Services) {
    const names = ['gateway', 'directory', 'sync-worker', 'webhook-dispatcher'] as const;
    const ends = await Promise.all(names.map((name) => running.terminate(name)));
    expect(Math.max(...ends.map(({ seconds }) => seconds))).toBeLessThan(closesWithinSeconds);
    return Object.fromEntries(names.map((name, nth) => [name, ends[nth]?.code]));
  }

  const allSucceed = { gateway: 0, directory: 0, 'sync-worker': 0, 'webhook-dispatcher': 0 };

  /** Creates a job whose source accepts the connection and never answers. */
  async function readSilentSource(tenant: Tenant): Promise<string> {
    const { port } = source.address() as AddressInfo;
    const connector = await createConnector(tenant, {
      type: 'sql',
      name: 'Silent',
      config: {
        dialect: 'postgres',
        host: '127.0.0.1',
        port,
        database: 'hr',
        user: 'reader',
        key: 'id',
        ssl: 'off',
        query: 'select 1 as id',
        external_id: 'id',
        fields: { employee_number: 'id' },
      },
      secrets: { password: 'secret' },
    });
    const { body } = await tenant.client.post('/v1/sync/trigger', { connector_id: connector });
    await until(() => calls.size > 0);
    return body.job_id;
  }

  /** Creates a delivery whose receiver does not answer yet. */
  async function deliverToSilentReceiver(tenant: Tenant): Promise<ServerResponse[]> {
    const held: ServerResponse[] = [];
    receiver.answer = (_, response) => void held.push(response);
    const { body } = await tenant.client.post('/v1/webhooks', { callback_url: receiver.url, events: ['webhook.test'] });
    await tenant.operator.post(`/admin/v1/tenants/${tenant.id}/webhooks/${body.id}/test`);
    await until(() => held.length > 0);
    return held;
  }

  /** Runs a job whose batch the directory applies until the returned function is called. */
  async function applyUntilReleased(tenant: Tenant): Promise<() => Promise<void>> {
    const text = 'do $$ begin lock table source_records in share mode; perform pg_sleep(120); end $$';
    const holding = admin.rows(text).catch(() => undefined);
    const waits = (lock: string) =>
      admin.rows(`select from pg_stat_activity where datname = current_database() and ${lock}`);
    await until(async () => (await waits(`wait_event = 'PgSleep'`)).length > 0);
    const config = { path: 'hr.csv', external_id: 'ident', fields: { employee_number: 'ident' } };
    const connector = await createConnector(tenant, { type: 'csv', name: 'HR', config });
    await tenant.client.post('/v1/sync/trigger', { connector_id: connector });
    await until(async () => (await waits(`wait_event_type = 'Lock'`)).length > 0);
    return async () => {
      await admin.rows(`select pg_cancel_backend(pid) from pg_stat_activity where wait_event = 'PgSleep'`);
      await holding;
    };
  }

  const tenantOf = (running: Services) => createTenant(Client.operator(running.url, running.adminToken), 'Ending');

  (hasBroker() ? it : it.skip)('exit with 0 while RabbitMQ is down', async () => {
    const running = await start({ amqp: true });
    await broker?.close();
    expect(await terminateAll(running)).toEqual(allSucceed);
  });

  (hasBroker() ? it : it.skip)('exit with 0 while RabbitMQ is frozen', async () => {
    const running = await start({ amqp: true });
    broker?.freeze();
    expect(await terminateAll(running)).toEqual(allSucceed);
  });

  it('exit with 1 while PostgreSQL is frozen, if the outcome of their work is unknown', async () => {
    const running = await start({ amqp: false });
    const tenant = await tenantOf(running);
    const held = await deliverToSilentReceiver(tenant);
    // As late as possible, because it times out; the lock of the next one keeps other jobs from beginning.
    await readSilentSource(tenant);
    const release = await applyUntilReleased(tenant);
    postgres.freeze();
    for (const response of held) response.writeHead(204).end();
    const { directory, 'sync-worker': worker, 'webhook-dispatcher': dispatcher } = await terminateAll(running);
    expect({ directory, worker, dispatcher }).toEqual({ directory: 1, worker: 1, dispatcher: 1 });
    await release();
  });

  it('exit with 0 while PostgreSQL is frozen, if they had no work in progress', async () => {
    const running = await start({ amqp: false });
    postgres.freeze();
    // The gateway also tries to store the last uses of its keys, which may take it to the time limit.
    const { gateway: _, ...others } = await terminateAll(running);
    expect(others).toEqual({ directory: 0, 'sync-worker': 0, 'webhook-dispatcher': 0 });
  });

  it('exit with 0 while PostgreSQL is down, if they had no work in progress', async () => {
    const running = await start({ amqp: false });
    await postgres.close();
    expect(await terminateAll(running)).toEqual(allSucceed);
  });

  it('exit with 0 while a source and a receiver hang, after returning the job and recording the attempt', async () => {
    const running = await start({ amqp: false });
    const tenant = await tenantOf(running);
    await readSilentSource(tenant);
    await deliverToSilentReceiver(tenant);
    expect(await terminateAll(running)).toEqual(allSucceed);
    expect(
      await admin.rows('select status, (lease_until is null or lease_until <= now()) as free from sync_jobs'),
    ).toEqual([{ status: 'running', free: true }]);
    expect(await admin.rows('select outcome from webhook_attempts')).toEqual([{ outcome: 'timed_out' }]);
  });

  it('exit with 1 while PostgreSQL is down, if an attempt could not be recorded', async () => {
    const running = await start({ amqp: false });
    const held = await deliverToSilentReceiver(await tenantOf(running));
    await postgres.close();
    const ended = running.terminate('webhook-dispatcher');
    for (const response of held) response.writeHead(204).end();
    const { code, seconds } = await ended;
    expect(code).toBe(1);
    expect(seconds).toBeLessThan(closesWithinSeconds);
    await postgres.open();
  });
});
