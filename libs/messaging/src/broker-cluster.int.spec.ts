import { type Message, newUuid } from '@idsync/contracts';
import { Database } from '@idsync/database';
import { enqueue, markReceived } from '@idsync/database/bus';
import {
  createTestDatabase,
  DirectoryFixture,
  hasBroker,
  PrivateBrokerCluster,
  type TestDatabase,
  until,
} from '@idsync/testing';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { connect } from 'amqplib';
import { Bus } from './bus.js';
import { patternsOf } from './delivery.js';

jest.setTimeout(600_000);

/** On a busy machine, a node of RabbitMQ takes a minute to notice that another is gone. */
const withinMs = 240_000;

if (!hasBroker()) process.stderr.write('AMQP_URL is not set: clusters of RabbitMQ are not tested.\n');

(hasBroker() ? describe : describe.skip)('a RabbitMQ cluster of three nodes', () => {
  let cluster: PrivateBrokerCluster;
  let testDatabase: TestDatabase;
  let rows: DirectoryFixture;
  let worker: Database;
  let directory: Database;
  const buses: Bus[] = [];
  const tenantId = newUuid();
  let announced = 0;

  beforeAll(async () => {
    cluster = await PrivateBrokerCluster.start();
    testDatabase = await createTestDatabase();
    rows = DirectoryFixture.connect(testDatabase.url);
    await rows.rows('create table effects (message_id uuid not null)');
    await rows.rows('grant insert on effects to public');
    worker = await Database.connect({ url: testDatabase.url, service: 'sync-worker' });
    directory = await Database.connect({ url: testDatabase.url, service: 'directory' });
    const backoff = () => 5;
    buses.push(await Bus.open({ service: 'sync-worker', database: worker, amqpUrl: cluster.url }));
    // Several, so that each node has connections.
    for (let nth = 0; nth < 4; nth += 1) buses.push(await consuming(backoff));
  });

  afterAll(async () => {
    for (const bus of buses) await bus.close();
    await worker?.close();
    await directory?.close();
    await rows?.close();
    await testDatabase?.drop();
    await cluster?.remove();
  });

  const consuming = async (backoff: () => number): Promise<Bus> => {
    const bus = await Bus.open({ service: 'directory', database: directory, amqpUrl: cluster.url, backoff });
    for (const pattern of patternsOf('directory')) {
      if (pattern !== 'sync.batch.ready') bus.strategy.addHandler(pattern, async () => undefined, true);
    }
    const receive = async ({ id }: Message<'sync.batch.ready'>) => {
      await directory.withoutTenant(async (tx) => {
        if (await markReceived(tx, id)) await tx.query('insert into effects (message_id) values ($1)', [id]);
      });
      // Slow enough that the kill hits messages in progress.
      await new Promise((resolve) => setTimeout(resolve, 20));
    };
    bus.strategy.addHandler('sync.batch.ready', receive, true);
    await new Promise<void>((resolve, reject) => {
      void bus.strategy.listen((error) => (error ? reject(error) : resolve()));
    });
    return bus;
  };

  const announce = async (count: number) => {
    announced += count;
    await worker.withoutTenant(async (tx) => {
      for (let seq = 0; seq < count; seq += 1) {
        await enqueue(tx, { type: 'sync.batch.ready', tenantId, data: { job_id: newUuid(), seq } });
      }
    });
  };
  const effects = async () => (await rows.rows('select message_id from effects')).length;
  const waiting = async () => (await rows.rows('select id from outbox')).length;
  const state = async () => ({
    announced,
    effects: await effects(),
    waiting: await waiting(),
    up: buses.map((bus) => bus.up),
  });
  const soon = (what: () => Promise<boolean>) => until(what, async () => [String(what), await state()], withinMs);
  const allHandled = () => soon(async () => (await effects()) === announced);

  it('holds each queue on all of its nodes', async () => {
    for (const { url } of cluster.nodes) {
      const connection = await connect(url);
      const channel = await connection.createChannel();
      expect(await channel.checkQueue('directory.batches')).toMatchObject({ consumerCount: 4 });
      await connection.close();
    }
  });

  it.each([0, 1, 2])('loses nothing and goes on while node %d is killed under load', async (nth) => {
    const before = await effects();
    await announce(300);
    await soon(async () => (await effects()) > before + 30);
    await cluster.nodes[nth]?.kill();
    await announce(100);
    // With one node down, all work is done by the other two.
    await allHandled();
    await cluster.nodes[nth]?.up();
    expect(await effects()).toBe(announced);
    await soon(async () => (await waiting()) === 0);
  });

  it('keeps messages in the outbox without a majority, and delivers them when the nodes are back', async () => {
    const [first, second] = cluster.nodes;
    await Promise.all([first?.kill(), second?.kill()]);
    await announce(50);
    await Promise.all([first?.up(), second?.up()]);
    await allHandled();
    expect(await effects()).toBe(announced);
    await soon(async () => (await waiting()) === 0);
  });
});
