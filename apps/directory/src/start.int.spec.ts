import { type Message, type MessageData, type MessageType, newUuid } from '@idsync/contracts';
import { Database } from '@idsync/database';
import { enqueue } from '@idsync/database/bus';
import { Bus, patternsOf } from '@idsync/messaging';
import type { ObservedService } from '@idsync/runtime';
import { type BrokerVhost, createVhost, eachBus, ServiceDatabase, until } from '@idsync/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { row } from '../test/harness.js';
import { startDirectory } from './start.js';

eachBus(describe)('the directory, over %s', (driver) => {
  let worker: ServiceDatabase;
  let gateway: Database;
  let vhost: BrokerVhost | undefined;
  let directory: ObservedService;
  let buses: Bus[];
  let tenantId: string;
  /** Messages from the directory to the sync worker. */
  const replies: { type: string; data: object }[] = [];

  beforeAll(async () => {
    worker = await ServiceDatabase.start('sync-worker');
    gateway = await Database.connect({ url: worker.url, service: 'gateway' });
    vhost = driver === 'amqp' ? await createVhost() : undefined;
    const amqpUrl = vhost?.url;
    tenantId = await worker.fixture.tenant();
    directory = await startDirectory({ DATABASE_URL: worker.url, AMQP_URL: amqpUrl, LOG_LEVEL: 'fatal' });
    const ofWorker = await Bus.open({ service: 'sync-worker', database: worker.database, amqpUrl });
    buses = [ofWorker, await Bus.open({ service: 'gateway', database: gateway, amqpUrl })];
    for (const type of patternsOf('sync-worker')) {
      const handler = async ({ data }: Message) => replies.push({ type, data });
      ofWorker.strategy.addHandler(type, handler, true);
    }
    await new Promise<void>((resolve, reject) => {
      void ofWorker.strategy.listen((error) => (error === undefined ? resolve() : reject(error)));
    });
  });

  afterAll(async () => {
    await directory?.close();
    for (const bus of buses ?? []) await bus.close();
    await gateway?.close();
    await worker?.close();
    await vhost?.drop();
  });

  async function send<T extends MessageType>(from: Database, type: T, data: MessageData<T>): Promise<void> {
    await from.transaction(tenantId, (tx) => enqueue(tx, { type, tenantId, data }));
  }

  async function replied(type: MessageType, data: object): Promise<void> {
    await until(async () => replies.some((reply) => reply.type === type));
    expect(replies.splice(0)).toEqual([{ type, data: expect.objectContaining(data) }]);
  }

  it('applies batches, sweeps a connector and compares the records of ended jobs', async () => {
    const { fixture, database } = worker;
    for (const type of ['sync.batch.ready', 'sync.record.ready'] as const) {
      const connector = await fixture.connector(tenantId);
      const job_id = await fixture.job(tenantId, connector, 'running');
      const record = row('1', { first_name: 'Robert', last_name: 'Black' });
      const { data } = await fixture.batch(tenantId, connector, job_id, 0, [record]);
      await send(database, type, data);
      await replied('sync.batch.applied', { ...data, created: 1 });
      await fixture.rows('update sync_jobs set batches_total = 1, batches_processed = 1 where id = $1', [job_id]);
      await send(database, 'sync.sweep.requested', { job_id });
      await replied('sync.sweep.ended', { job_id, deleted: 0 });
      await fixture.rows(`update sync_jobs set status = 'completed' where id = $1`, [job_id]);
      await send(database, 'sync.job.ended', { job_id });
    }
    await until(async () => (await fixture.rows(`select from review_cases where reason = 'same name'`)).length === 1);
  });

  it('runs an operation that the gateway requests', async () => {
    const { fixture } = worker;
    const operation = newUuid();
    await fixture.rows('insert into operations (id, tenant_id, type, input) values ($1, $2, $3, $4)', [
      operation,
      tenantId,
      'attributes.rank',
      { priorities: [] },
    ]);
    await send(gateway, 'directory.operation.requested', { operation_id: operation });
    await until(async () => (await fixture.rows(`select from operations where status = 'done'`)).length === 1);
  });

  it('deletes the rows of a tenant whose deletion was requested, and leaves other tenants', async () => {
    const { fixture } = worker;
    const other = await fixture.tenant();
    await fixture.job(other, await fixture.connector(other));
    await fixture.rows(
      `insert into tenant_deletions (tenant_id, requested_at) values ($1, now() - interval '1 hour')`,
      [other],
    );
    const tenants = () => fixture.rows<{ id: string }>('select id from tenants');
    await until(async () => (await tenants()).length === 1, 'the deletion of the tenant', 90_000);
    expect(await tenants()).toEqual([{ id: tenantId }]);
    expect(await fixture.rows('select from sync_jobs where tenant_id = $1', [other])).toEqual([]);
  });
});
