import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Database } from '@idsync/database';
import {
  type BrokerVhost,
  createTestDatabase,
  createVhost,
  DirectoryFixture,
  eachBus,
  freePort,
  type TestDatabase,
  until,
} from '@idsync/testing';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Client, createConnector, createTenant, type Tenant } from './support/client.js';
import { LimitedService } from './support/limited-service.js';
import { adminToken, environmentOf } from './support/services.js';

jest.setTimeout(400_000);

const people = 2_000;
const bad = 700;

eachBus(describe)('a record that crashes the directory whenever it is applied, over %s', (bus) => {
  let database: TestDatabase;
  let vhost: BrokerVhost | undefined;
  let sourcesDir: string;
  let fixture: DirectoryFixture;
  let holder: Database;
  let tenant: Tenant;
  let directory: LimitedService;
  const services: LimitedService[] = [];

  beforeAll(async () => {
    database = await createTestDatabase();
    vhost = bus === 'amqp' ? await createVhost() : undefined;
    fixture = DirectoryFixture.connect(database.url);
    sourcesDir = await mkdtemp(join(tmpdir(), 'idsync-poison-'));
    const port = await freePort();
    const env = environmentOf({ databaseUrl: database.url, amqpUrl: vhost?.url, sourcesDir }, port);
    directory = new LimitedService('directory', env);
    services.push(directory, new LimitedService('gateway', env), new LimitedService('sync-worker', env));
    const url = `http://127.0.0.1:${port}`;
    const isUp = () =>
      fetch(`${url}/v1/health`).then(
        ({ ok }) => ok,
        () => false,
      );
    await until(isUp, 'the health of the gateway', 60_000);
    tenant = await createTenant(Client.operator(url, adminToken), 'Poisoned');
    holder = await Database.connect({ url: database.url, service: 'directory' });
  });

  afterAll(async () => {
    await holder?.close();
    await Promise.all(services.map((service) => service.stop()));
    await fixture?.close();
    await vhost?.drop();
    await database?.drop();
    await rm(sourcesDir, { recursive: true, force: true });
  });

  it('is the only skipped record after a few crashes, and its job completes', async () => {
    const rows = Array.from({ length: people }, (_, at) => `${at},person${at}@example.org`);
    await writeFile(join(sourcesDir, 'hr.csv'), `ident,mail\n${rows.join('\n')}\n`);
    const connector = await createConnector(tenant, {
      type: 'csv',
      name: 'HR',
      config: { path: 'hr.csv', external_id: 'ident', fields: { email: 'mail' } },
    });
    // A process that applies the record waits for this lock, and the test kills it then.
    const { id: tenantId } = (await fixture.rows<{ id: string }>('select id from tenants'))[0] ?? { id: '' };
    let isHeld = true;
    const held = new Promise<void>((hold) => {
      const holding = holder.transaction(tenantId, async (tx) => {
        const key = [tenantId, `person${bad}@example.org`];
        await tx.query(`insert into correlation_keys (tenant_id, kind, value) values ($1, 'email', $2)`, key);
        hold();
        // The server ends a transaction that is idle for a minute.
        for (; isHeld; await new Promise((resolve) => setTimeout(resolve, 500))) await tx.query('select 1');
        throw new Error('rolled back');
      });
      holding.catch(() => undefined);
    });
    await held;
    const triggered = await tenant.client.post('/v1/sync/trigger', { connector_id: connector });
    let kills = 0;
    const job = async () =>
      (await tenant.client.get(`/v1/sync/jobs/${triggered.body.job_id}`)).body as { status: string };
    for (const end = Date.now() + 300_000; Date.now() < end && ['queued', 'running'].includes((await job()).status); ) {
      const waiting = await fixture.rows(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
            and query like '%correlation_keys%'`,
      );
      if (waiting.length > 0) {
        kills += 1;
        expect(kills).toBeLessThan(10);
        await directory.kill();
        // The server notices the lost connection only when the statement ends.
        await fixture.rows(
          `select pg_terminate_backend(pid) from pg_stat_activity
            where datname = current_database() and wait_event_type = 'Lock' and query like '%correlation_keys%'`,
        );
        // The leases of the killed process would end ten seconds later.
        await fixture.rows(`update relay_leases set until = now() where producer = 'idsync_directory'`);
        await fixture.rows(
          `update bus_messages set available_at = now()
            where queue like 'directory.%' and lease_token is not null and available_at > now()`,
        );
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    isHeld = false;
    const ended = await job();
    if (!ended.status.startsWith('completed'))
      process.stderr.write(services.map((service) => service.lastOutput).join('\n'));
    expect(ended).toMatchObject({
      status: 'completed_with_errors',
      error_message: `1 record was left out; ${bad}: could not be applied: the directory was stopped twice while applying it`,
    });
    expect(kills).toBeLessThanOrEqual(6);
    const there = await fixture.rows<{ external_id: string }>('select external_id from source_records');
    expect(there).toHaveLength(people - 1);
    expect(there.map(({ external_id }) => external_id)).not.toContain(String(bad));
    expect(await fixture.rows('select from batches_begun')).toEqual([]);
  });
});
