import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Message, type MessageData, type MessageType, newUuid } from '@idsync/contracts';
import { Database } from '@idsync/database';
import { enqueue, markReceived } from '@idsync/database/bus';
import { Bus, PermanentError, patternsOf } from '@idsync/messaging';
import type { RunningService } from '@idsync/runtime';
import { type BrokerVhost, createVhost, eachBus, until } from '@idsync/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SyncFixture } from '../test/sync-fixture.js';
import { startSyncWorker } from './start.js';

/** Behaviour of the fake directory for a batch. */
let directory: (message: Message<'sync.batch.ready'>) => Promise<void>;

eachBus(describe)('the sync worker, over %s', (driver) => {
  let fixture: SyncFixture;
  let vhost: BrokerVhost | undefined;
  let sourcesDir: string;
  let worker: RunningService;
  let databases: Record<'gateway' | 'directory', Database>;
  let buses: Bus[];
  let tenantId: string;
  let connectorId: string;

  beforeAll(async () => {
    fixture = await SyncFixture.create();
    vhost = driver === 'amqp' ? await createVhost() : undefined;
    const amqpUrl = vhost?.url;
    sourcesDir = await mkdtemp(join(tmpdir(), 'idsync-sources-'));
    await writeFile(join(sourcesDir, 'hr.csv'), 'id,mail\n1,a@x.org\n2,b@x.org\n,c@x.org\n');
    tenantId = await fixture.rows.tenant();
    connectorId = await fixture.rows.connector(tenantId);
    const config = { path: 'hr.csv', external_id: 'id', fields: { email: 'mail' } };
    await fixture.rows.rows('update connectors set config = $2 where id = $1', [connectorId, config]);

    const [gateway, directoryDatabase] = await Promise.all(
      (['gateway', 'directory'] as const).map((service) => Database.connect({ url: fixture.url, service })),
    );
    if (!gateway || !directoryDatabase) throw new Error('not connected');
    databases = { gateway, directory: directoryDatabase };
    worker = await startSyncWorker({
      DATABASE_URL: fixture.url,
      AMQP_URL: amqpUrl,
      SOURCES_DIR: sourcesDir,
      SOURCES_BY_TENANT: false,
      SOURCE_ALLOW_CIDRS: [],
      SOURCE_OUTAGE_SECONDS: 300,
      ENCRYPTION_KEY: Buffer.alloc(32, 7),
      ENCRYPTION_KEYS_PREVIOUS: [],
      LOG_LEVEL: 'fatal',
    });
    buses = await Promise.all(
      (['gateway', 'directory'] as const).map((service) =>
        Bus.open({ service, database: databases[service], amqpUrl }),
      ),
    );
    const strategy = buses[1]?.strategy;
    if (!strategy) throw new Error('no bus');
    const handlers: Record<string, (message: Message<'sync.batch.ready'>) => Promise<void>> = {
      'sync.batch.ready': (message) => directory(message),
      'sync.sweep.requested': ({ data }) =>
        send(databases.directory, 'sync.sweep.ended', { job_id: data.job_id, deleted: 0 }),
    };
    for (const pattern of patternsOf('directory')) {
      strategy.addHandler(pattern, handlers[pattern] ?? (async () => undefined), true);
    }
    await new Promise<void>((resolve, reject) => {
      void strategy.listen((error) => (error === undefined ? resolve() : reject(error)));
    });
  });

  afterAll(async () => {
    await worker?.close();
    for (const bus of buses ?? []) await bus.close();
    for (const database of Object.values(databases ?? {})) await database.close();
    await fixture?.close();
    await vhost?.drop();
    await rm(sourcesDir, { recursive: true, force: true });
  });

  async function send<T extends MessageType>(from: Database, type: T, data: MessageData<T>): Promise<void> {
    await from.transaction(tenantId, (tx) => enqueue(tx, { type, tenantId, data }));
  }

  async function trigger(): Promise<string> {
    const { id } = await fixture.queue(tenantId, connectorId);
    await send(databases.gateway, 'sync.job.requested', { job_id: id });
    return id;
  }

  const ends = (id: string, status: string) => until(async () => (await fixture.job(id)).status === status);

  const applying = ({ id, data }: Message<'sync.batch.ready'>) =>
    databases.directory.transaction(tenantId, async (tx) => {
      if (!(await markReceived(tx, id))) return;
      const answer = { ...data, created: 2, updated: 0, unchanged: 0, errors: [] };
      await enqueue(tx, { type: 'sync.batch.applied', tenantId, data: answer });
    });

  it('sends the records of a file to the directory and reports skipped records', async () => {
    directory = applying;
    const job = await trigger();
    await ends(job, 'completed_with_errors');
    const { error_message, records_applied } = await fixture.job(job);
    expect(error_message).toMatch(/^1 record was left out; line 4: /);
    expect(records_applied).toBe(2);
  });

  it('cancels a job that waits for the directory', async () => {
    directory = () => Promise.resolve();
    const job = await trigger();
    await until(async () => (await fixture.job(job)).batches_total === 1);
    await send(databases.gateway, 'sync.job.cancel_requested', { job_id: job, reason: 'wrong file' });
    await ends(job, 'cancelled');
    expect(await fixture.job(job)).toMatchObject({ cancel_reason: 'wrong file' });
  });

  it('fails the job of a dead-lettered batch, and ignores messages about unknown jobs', async () => {
    directory = () => Promise.reject(new PermanentError('the batch cannot be applied'));
    await send(databases.gateway, 'sync.job.requested', { job_id: newUuid() });
    await send(databases.gateway, 'sync.job.cancel_requested', { job_id: newUuid() });
    const job = await trigger();
    await ends(job, 'failed');
    expect((await fixture.job(job)).error_message).toMatch(/^batch 1 could not be applied/);
  });

  it('follows a schedule that is set while it runs', async () => {
    directory = applying;
    const rows = <Row extends object>(sql: string) => fixture.rows.rows<Row>(sql, [connectorId]);
    await rows(`update connectors set schedule = '{"every": "1h", "jitter": "0s"}' where id = $1`);
    await until(
      async () =>
        (await rows('select 1 from connector_states where connector_id = $1 and next_run_at > now()')).length > 0,
    );
    await rows('update connector_states set due_at = now(), next_run_at = now() where connector_id = $1');
    const made = () =>
      rows<{ id: string }>('select id from sync_jobs where connector_id = $1 and scheduled_for is not null');
    await until(async () => (await made()).length === 1);
    const [job] = await made();
    await ends(job?.id ?? '', 'completed_with_errors');
  });
});
