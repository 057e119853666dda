import { newUuid } from '@idsync/contracts';
import { Database } from '@idsync/database';
import { enqueue, markReceived, recordEvents } from '@idsync/database/bus';
import {
  createTestDatabase,
  DirectoryFixture,
  hasBroker,
  PrivateBroker,
  type TestDatabase,
  until,
} from '@idsync/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { connect } from 'amqplib';
import { Bus } from './bus.js';
import { patternsOf } from './delivery.js';

if (!hasBroker()) process.stderr.write('AMQP_URL is not set: restarts of RabbitMQ are not tested.\n');

(hasBroker() ? describe : describe.skip)('a service, when RabbitMQ fails,', () => {
  let broker: PrivateBroker;
  let testDatabase: TestDatabase;
  let rows: DirectoryFixture;
  let worker: Database;
  let directory: Database;
  let sending: Bus;
  let consuming: Bus;
  const buses: Bus[] = [];
  const tenantId = newUuid();
  const unhandled: unknown[] = [];
  const note = (error: unknown) => void unhandled.push(error);

  beforeAll(async () => {
    process.on('unhandledRejection', note);
    process.on('uncaughtException', note);
    broker = await PrivateBroker.start();
    testDatabase = await createTestDatabase();
    rows = DirectoryFixture.connect(testDatabase.url);
    await rows.rows('create table effects (message_id uuid not null)');
    await rows.rows('grant insert on effects to public');
    worker = await Database.connect({ url: testDatabase.url, service: 'sync-worker' });
    directory = await Database.connect({ url: testDatabase.url, service: 'directory' });
    sending = await Bus.open({ service: 'sync-worker', database: worker, amqpUrl: broker.url });
    consuming = await Bus.open({
      service: 'directory',
      database: directory,
      amqpUrl: broker.url,
      backoff: () => 5,
    });
    buses.push(sending, consuming);
    for (const pattern of patternsOf('directory')) {
      if (pattern !== 'sync.batch.ready') consuming.strategy.addHandler(pattern, async () => undefined, true);
    }
    consuming.strategy.addHandler(
      'sync.batch.ready',
      async (message: { id: string }) => {
        await directory.withoutTenant(async (tx) => {
          if (await markReceived(tx, message.id))
            await tx.query('insert into effects (message_id) values ($1)', [message.id]);
        });
        // Slow enough that the kill hits messages in progress.
        await new Promise((resolve) => setTimeout(resolve, 20));
      },
      true,
    );
    await new Promise<void>((resolve, reject) => {
      void consuming.strategy.listen((error) => (error ? reject(error) : resolve()));
    });
  });

  afterAll(async () => {
    for (const bus of buses) await bus.close();
    await worker?.close();
    await directory?.close();
    await rows?.close();
    await testDatabase?.drop();
    await broker?.remove();
    process.off('unhandledRejection', note);
    process.off('uncaughtException', note);
  });

  const announce = (count: number) =>
    worker.withoutTenant(async (tx) => {
      for (let seq = 0; seq < count; seq += 1) {
        await enqueue(tx, { type: 'sync.batch.ready', tenantId, data: { job_id: newUuid(), seq } });
      }
    });

  const effects = async () => (await rows.rows('select message_id from effects')).length;

  it('loses no message to a kill during work, and resumes consuming and publishing', async () => {
    await announce(200);
    await until(async () => (await effects()) > 20, 'some effects', 100_000);
    await broker.kill();
    // Enqueued during the outage: the outbox stores it.
    await announce(50);
    await broker.up();
    await announce(50);
    await until(async () => (await effects()) === 300, 'all effects', 90_000);
    await until(async () => (await rows.rows('select id from outbox')).length === 0, 'an empty outbox', 100_000);
    expect(await effects()).toBe(300);
    expect(unhandled).toEqual([]);
  });

  it('republishes events when RabbitMQ is back, and records them meanwhile', async () => {
    const tenant = await rows.tenant();
    const heard: number[] = [];
    let listens = 0;
    const stop = consuming.listenToEvents(
      (_, last) => heard.push(last),
      () => {
        listens += 1;
      },
    );
    const record = () =>
      worker.transaction(tenant, (tx) => recordEvents(tx, [{ type: 'webhook.test', subjectId: tenant, details: {} }]));
    await until(() => listens === 1, 'listening', 100_000);
    await record();
    await until(() => heard.includes(1), 'the first event', 100_000);
    await broker.kill();
    await record();
    await broker.up();
    // A listener polls when it listens again: what was announced meanwhile is lost.
    await until(() => listens === 2 && sending.up, 'listening again', 100_000);
    await record();
    await until(() => heard.includes(3), 'an event after the restart', 100_000);
    await stop();
    expect(unhandled).toEqual([]);
  });

  it('recreates and consumes a deleted queue after the broker cancels the consumer', async () => {
    const before = await effects();
    const connection = await connect(broker.url);
    const channel = await connection.createChannel();
    await channel.deleteQueue('directory.batches');
    await until(
      async () => {
        const probe = await connection.createChannel();
        probe.on('error', () => undefined);
        const found = await probe.checkQueue('directory.batches').catch(() => undefined);
        return found?.consumerCount === 1;
      },
      'a consumer',
      100_000,
    );
    await connection.close();
    await announce(10);
    await until(async () => (await effects()) === before + 10, 'all effects', 100_000);
    expect(await effects()).toBe(before + 10);
  });

  it('leaves an unroutable message in the outbox and publishes the others', async () => {
    const before = await effects();
    await rows.rows(
      `insert into outbox (producer, message_id, type, message)
       values ('idsync_sync_worker', gen_random_uuid(), 'nobody.wants.this', '{}')`,
    );
    await announce(5);
    await until(async () => (await effects()) === before + 5, 'all effects', 100_000);
    const kept = await rows.rows<{ type: string }>('select type from outbox');
    expect(kept).toEqual([{ type: 'nobody.wants.this' }]);
    await rows.rows('delete from outbox');
  });

  it('fails to start if a queue exists with other arguments', async () => {
    const connection = await connect(broker.url);
    const channel = await connection.createChannel();
    await channel.deleteQueue('webhook-dispatcher.replays');
    await channel.assertQueue('webhook-dispatcher.replays', { durable: true, arguments: { 'x-queue-type': 'quorum' } });
    const opening = Bus.open({ service: 'directory', database: directory, amqpUrl: broker.url });
    await expect(opening).rejects.toThrow('a queue or exchange exists in RabbitMQ with other arguments');
    await channel.deleteQueue('webhook-dispatcher.replays');
    await connection.close();
  });
});
