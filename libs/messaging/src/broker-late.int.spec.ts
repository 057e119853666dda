import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { createVhost, hasBroker, LatePort, until } from '@idsync/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { connect } from 'amqplib';
import { BusFixture } from '../test/bus-fixture.js';

(hasBroker() ? describe : describe.skip)('a service that starts before RabbitMQ', () => {
  let fixture: BusFixture;
  let broker: LatePort;

  beforeAll(async () => {
    fixture = await BusFixture.create('amqp');
    broker = await LatePort.reserve(fixture.amqpUrl ?? '');
  });

  afterAll(async () => {
    await fixture?.remove();
    await broker?.close();
  });

  it('starts without a delay, and delivers everything once RabbitMQ is up', async () => {
    fixture.reachBrokerAt(broker.url);
    const consuming = await fixture.open('directory', {
      'sync.batch.ready': (message) => fixture.apply('directory', message),
    });
    const announcing = await fixture.open('sync-worker');
    await fixture.announceBatches([1, 2, 3]);
    expect([consuming.up, announcing.up]).toEqual([false, false]);
    await broker.open();
    await until(async () => (await fixture.effects()).all === 3, 'all effects', 100_000);
    expect(await fixture.effects()).toEqual({ all: 3, distinct: 3 });
    expect([consuming.up, announcing.up]).toEqual([true, true]);
  });

  it('crashes with an error if a queue exists with other arguments', async () => {
    const mistaken = await createVhost();
    const connection = await connect(mistaken.url);
    const channel = await connection.createChannel();
    await channel.assertQueue('webhook-dispatcher.replays', { durable: true, arguments: { 'x-queue-type': 'quorum' } });
    await connection.close();
    await fixture.closeBuses();
    const late = await LatePort.reserve(mistaken.url);

    const program = fileURLToPath(new URL('../test/killed-consumer.mjs', import.meta.url));
    const stdio = ['ignore', 'ignore', 'pipe'] as const;
    const child = spawn(process.execPath, [program, fixture.database.url, late.url, 'never'], { stdio: [...stdio] });
    let errors = '';
    child.stderr?.on('data', (chunk: Buffer) => {
      errors += chunk.toString('utf8');
    });
    const exit = once(child, 'close');
    // The relay starts once the bus is open, which is after the first failed attempt.
    const leases = () =>
      fixture.rows.rows(`select from relay_leases where producer = 'idsync_directory' and until > now()`);
    await until(async () => (await leases()).length > 0, 'the lease of the relay', 100_000);
    await late.open();
    const [code] = await exit;
    expect(code).toBe(1);
    expect(errors).toContain('a queue or exchange exists in RabbitMQ with other arguments');
    await late.close();
    await mistaken.drop();
  });

  it('can close a bus that was never connected', async () => {
    const nowhere = await LatePort.reserve(broker.url);
    fixture.reachBrokerAt(nowhere.url);
    const bus = await fixture.open('webhook-dispatcher');
    expect(bus.up).toBe(false);
    await bus.close();
  });
});
