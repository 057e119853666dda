import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { expireLeases } from '@idsync/database/schema';
import { type BrokerVhost, createVhost, eachBus, testProgram } from '@idsync/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { BusFixture, until } from '../test/bus-fixture.js';

jest.setTimeout(120_000);

const numbers = Array.from({ length: 30 }, (_, n) => n);

eachBus(describe)('the bus, when processes are killed, over %s', (driver) => {
  let bus: BusFixture;
  let vhost: BrokerVhost | undefined;
  const children: ChildProcess[] = [];

  beforeAll(async () => {
    vhost = driver === 'amqp' ? await createVhost() : undefined;
  });
  afterAll(() => vhost?.drop());

  beforeEach(async () => {
    bus = await BusFixture.create(driver, vhost);
  });

  afterEach(async () => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
    await bus?.remove();
  });

  const start = (program: string, ...words: string[]): ChildProcess => {
    const child = spawn(process.execPath, [testProgram(program), bus.database.url, bus.amqpUrl ?? '-', ...words], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    children.push(child);
    return child;
  };

  /** Expects that surviving processes apply every message exactly once. */
  const expectEachOnce = async () => {
    await bus.open('sync-worker');
    await bus.open('directory', { 'sync.batch.ready': (message) => bus.apply('directory', message) });
    await until(async () => (await bus.effects()).all >= numbers.length);
    await until(async () => (await bus.rows.rows('select id from outbox')).length === 0);
    expect(await bus.effects()).toEqual({ all: numbers.length, distinct: numbers.length });
  };

  it.each(['before the effect', 'before the commit', 'before the acknowledgement', 'after the acknowledgement'])(
    'applies every message once when a consumer is killed %s',
    async (step) => {
      await bus.announceBatches(numbers);
      await bus.open('sync-worker');
      const child = start('killed-consumer', step);
      await once(child, 'exit');
      expect(child.signalCode).toBe('SIGKILL');
      await bus.closeBuses();
      await expireLeases(bus.database.url);
      await expectEachOnce();
    },
  );

  // The transactions of the relay: acquire the lease, read (or move) the outbox, delete the rows, renew the lease. Between
  // the first two, and between the last two, it does nothing else, so "after" also stands for "before" the next one.
  it.each([
    [1, 'before'],
    [1, 'after'],
    [2, 'after'],
    [3, 'before'],
    [3, 'after'],
    [4, 'after'],
  ])('applies every message once when a relay is killed at transaction %d, %s it', async (nth, when) => {
    await bus.announceBatches(numbers);
    const child = start('killed-relay', String(nth), String(when), 'SIGKILL');
    await once(child, 'exit');
    expect(child.signalCode).toBe('SIGKILL');
    await expireLeases(bus.database.url);
    await expectEachOnce();
  });

  it('does not let a relay that was suspended past its lease delete rows', async () => {
    await bus.announceBatches(numbers);
    // Suspended between publishing and deleting over amqp; between two rounds over postgres.
    const stopped = start('killed-relay', '3', 'before', 'SIGSTOP');
    await until(async () => {
      const rows = await bus.rows.rows(`select producer from relay_leases where producer = 'idsync_sync_worker'`);
      return rows.length === 1;
    });
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    await expireLeases(bus.database.url);
    await expectEachOnce();
    await bus.announceBatches([100, 101]);
    stopped.kill('SIGCONT');
    await until(async () => (await bus.effects()).all === numbers.length + 2);
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(await bus.effects()).toEqual({ all: numbers.length + 2, distinct: numbers.length + 2 });
  });
});
