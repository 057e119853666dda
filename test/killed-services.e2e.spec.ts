import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type BrokerVhost,
  createTestDatabase,
  createVhost,
  DirectoryFixture,
  hasBroker,
  type TestDatabase,
  until,
} from '@idsync/testing';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Client, createConnector, createTenant, jobEnd, type Tenant } from './support/client.js';
import { type ServiceProcessName, Services } from './support/services.js';

jest.setTimeout(420_000);

const people = 10_000;
/** One kill of each service in turn, ten in all. */
const victims: ServiceProcessName[] = [
  'sync-worker',
  'directory',
  'gateway',
  'webhook-dispatcher',
  'directory',
  'sync-worker',
  'directory',
  'webhook-dispatcher',
  'sync-worker',
  'directory',
];

(hasBroker() ? describe : describe.skip)('a sync of 10 000 records whose services are killed, over amqp', () => {
  let database: TestDatabase;
  let vhost: BrokerVhost;
  let sourcesDir: string;
  let services: Services;
  let fixture: DirectoryFixture;
  let tenant: Tenant;

  beforeAll(async () => {
    database = await createTestDatabase();
    vhost = await createVhost();
    fixture = DirectoryFixture.connect(database.url);
    sourcesDir = await mkdtemp(join(tmpdir(), 'idsync-killed-'));
    const rows = Array.from({ length: people }, (_, n) => `${n},First${n},Last${n},person${n}@example.org`);
    await writeFile(join(sourcesDir, 'hr.csv'), `ident,first,last,mail\n${rows.join('\n')}\n`);
    services = await Services.start({ databaseUrl: database.url, amqpUrl: vhost.url, sourcesDir });
    tenant = await createTenant(Client.operator(services.url, services.adminToken), 'Killed');
  });

  afterAll(async () => {
    await services?.stop();
    await fixture?.close();
    await vhost?.drop();
    await database?.drop();
    await rm(sourcesDir, { recursive: true, force: true });
  });

  const processed = async (): Promise<number> => {
    const [row] = await fixture.rows<{ n: number }>(
      'select coalesce(max(batches_processed), 0)::int as n from sync_jobs',
    );
    return row?.n ?? 0;
  };

  it('completes with every record stored once after ten kills', async () => {
    const connector = await createConnector(tenant, {
      type: 'csv',
      name: 'HR',
      config: {
        path: 'hr.csv',
        external_id: 'ident',
        fields: { employee_number: 'ident', first_name: 'first', last_name: 'last', email: 'mail' },
      },
    });
    const triggered = await tenant.client.post('/v1/sync/trigger', { connector_id: connector });
    expect(triggered.status).toBe(202);

    // Each kill waits shortly for progress, so that the kills are distributed over the job.
    for (const [nth, victim] of victims.entries()) {
      await until(async () => (await processed()) >= nth, 'progress', 5_000).catch(() => undefined);
      await services.kill(victim);
      services.launch(victim);
    }
    await services.gatewayUp();

    const job = await jobEnd(tenant, triggered.body.job_id, 300_000);
    expect(job).toMatchObject({ status: 'completed', progress_pct: 100, batches_total: people / 1_000 });

    const [found] = await fixture.rows<{ identities: number; records: number; externals: number }>(
      `select (select count(*)::int from identities) as identities, count(*)::int as records,
              count(distinct external_id)::int as externals from source_records`,
    );
    expect(found).toEqual({ identities: people, records: people, externals: people });
    const page = await tenant.client.get('/v1/identities?limit=1');
    expect(page.body.total).toBe(people);
    const [events] = await fixture.rows<{ created: number; gaps: number }>(
      `select count(*) filter (where type = 'identity.created')::int as created, (max(sequence) - count(*))::int as gaps from events`,
    );
    expect(events).toEqual({ created: people, gaps: 0 });
    const batches = await tenant.operator.get(`/admin/v1/tenants/${tenant.id}/sync-jobs/${triggered.body.job_id}`);
    expect(batches.body).toMatchObject({ records_read: people, records_applied: people, records_failed: 0 });
  });
});

if (!hasBroker()) process.stderr.write('AMQP_URL is not set: skipping the test that kills services over amqp.\n');
