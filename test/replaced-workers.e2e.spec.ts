import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type BrokerVhost,
  createTestDatabase,
  createVhost,
  DirectoryFixture,
  eachBus,
  type TestDatabase,
  until,
} from '@idsync/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Receiver } from '../apps/webhook-dispatcher/test/receiver.js';
import { Client, createConnector, createTenant, jobEnd, type Tenant } from './support/client.js';
import { brokenInvariants, counts, settled, wantedPairs, watchFences } from './support/delivery-proof.js';
import { Services } from './support/services.js';

const people = 2_000;
const changing = 1_000;
const rounds = 2;
const victims = ['directory', 'sync-worker', 'webhook-dispatcher'] as const;

eachBus(describe)('workers that are replaced in turn while they work, over %s,', (driver) => {
  let database: TestDatabase;
  let vhost: BrokerVhost | undefined;
  let sourcesDir: string;
  let services: Services;
  let admin: DirectoryFixture;
  let receiver: Receiver;
  let tenant: Tenant;
  let connector: string;

  beforeAll(async () => {
    database = await createTestDatabase();
    vhost = driver === 'amqp' ? await createVhost() : undefined;
    admin = DirectoryFixture.connect(database.url);
    await watchFences(admin);
    sourcesDir = await mkdtemp(join(tmpdir(), 'idsync-replaced-'));
    const options = { databaseUrl: database.url, amqpUrl: vhost?.url, sourcesDir, allowedCidrs: '127.0.0.0/8' };
    services = await Services.start(options);
    tenant = await createTenant(Client.operator(services.url, services.adminToken), 'Replaced');
    const fields = { employee_number: 'ident', first_name: 'first', last_name: 'last', email: 'mail' };
    const config = { path: 'hr.csv', external_id: 'ident', fields };
    // A run changes the surnames of half of the people.
    const safeguard = { max_changed_percent: 100 };
    connector = await createConnector(tenant, { type: 'csv', name: 'HR', config, safeguard });
    receiver = await Receiver.start();
    // Slow answers, so that deliveries are in flight whenever a dispatcher is stopped.
    receiver.answer = (_, response) => setTimeout(() => response.writeHead(204).end(), 50);
    const events = ['user.*', 'sync.job.*'];
    await tenant.client.post('/v1/webhooks', { callback_url: receiver.url, events });
  });

  afterAll(async () => {
    await services?.stop();
    await receiver?.close();
    await admin?.close();
    await vhost?.drop();
    await database?.drop();
    await rm(sourcesDir, { recursive: true, force: true });
  });

  /** Replaces the file atomically, as an export does, because a worker may be reading it. */
  async function changePeople(nth: number): Promise<void> {
    const rows = Array.from({ length: people }, (_, n) => {
      const title = n < changing ? `Last${n}-${nth}` : `Last${n}`;
      return `${n},First${n},${title},person${n}@example.org`;
    });
    await writeFile(join(sourcesDir, 'next.csv'), `ident,first,last,mail\n${rows.join('\n')}\n`);
    await rename(join(sourcesDir, 'next.csv'), join(sourcesDir, 'hr.csv'));
  }

  /** Waits until the victim has work in progress, or has already done it. */
  async function waitUntilRunning(victim: (typeof victims)[number], jobId: string): Promise<void> {
    const before = receiver.received.length;
    await until(async () => {
      const { body: job } = await tenant.client.get(`/v1/sync/jobs/${jobId}`);
      if (!['queued', 'running'].includes(job.status)) return true;
      if (victim === 'sync-worker') return job.status === 'running';
      return victim === 'directory' ? job.batches_processed > 0 : receiver.received.length > before;
    }, `work of the ${victim}`);
  }

  it('exit with 0 within their time limit, and nothing is lost or done twice', async () => {
    for (let nth = 0; nth < rounds * victims.length; nth += 1) {
      const victim = victims[nth % victims.length] ?? 'directory';
      await changePeople(nth);
      const { body } = await tenant.client.post('/v1/sync/trigger', { connector_id: connector });
      await waitUntilRunning(victim, body.job_id);
      expect([victim, (await services.terminate(victim)).code]).toEqual([victim, 0]);
      services.launch(victim);
      expect(await jobEnd(tenant, body.job_id)).toMatchObject({ status: 'completed' });
    }
    await settled(admin, 120_000);

    expect(await brokenInvariants(admin)).toEqual({});
    expect((await vhost?.dead()) ?? []).toEqual([]);
    expect(await admin.rows('select queue, dead_reason from bus_messages where dead_at is not null')).toEqual([]);
    const users = await tenant.client.get('/v1/users?limit=1');
    expect(users.body.total).toBe(people);
    const changed = await admin.rows(
      `select from source_records where document like '%-${rounds * victims.length - 1}"%'`,
    );
    expect(changed).toHaveLength(changing);
    const { deliveries, attempts } = await counts(admin);
    expect(deliveries).toBeGreaterThan(people + changing);
    // Once each at the receiver, and once in the recorded attempts.
    expect(attempts).toBe(deliveries);
    expect(receiver.received).toHaveLength(deliveries);
    expect(new Set(receiver.ids()).size).toBe((await wantedPairs(admin)).length);
  });
});
