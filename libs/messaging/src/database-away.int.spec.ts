import { type Message, queues } from '@idsync/contracts';
import { eachBus, LatePort, until } from '@idsync/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { BusFixture } from '../test/bus-fixture.js';

eachBus(describe)('a database outage during message handling, over %s', (driver) => {
  let bus: BusFixture;
  let way: LatePort;

  beforeEach(async () => {
    bus = await BusFixture.create(driver);
    way = await LatePort.reserve(bus.database.url);
    await way.open();
  });

  afterEach(async () => {
    await way?.close();
    await bus?.remove();
  });

  it('costs a message one attempt, regardless of its duration', async () => {
    await bus.open('sync-worker');
    bus.reachDatabaseAt(way.url);
    const attempts: number[] = [];
    let reached = false;
    await bus.open('directory', {
      'sync.batch.ready': async (message, { attempt }) => {
        attempts.push(attempt);
        if (attempts.length === 1) await way.close();
        await bus.apply('directory', message);
        reached = true;
      },
    });
    await bus.announceBatches([1]);
    await until(() => attempts.length > 0);
    // As long as forty attempts take.
    await new Promise((resolve) => setTimeout(resolve, 400));
    expect(attempts.length).toBeLessThanOrEqual(2);
    await way.open();
    await until(() => reached);
    expect(await bus.effects()).toEqual({ all: 1, distinct: 1 });
    // Connections that broke with it may cost another attempt.
    expect(attempts.at(-1)).toBeLessThan(5);
  });

  it('costs a message no attempt while only the rows of its tenant are unreachable, as of a node of Citus', async () => {
    const lost = Object.assign(new Error('connection to the remote node failed'), { severity: 'ERROR', code: '08006' });
    let isAway = true;
    let tries = 0;
    const isIgnored = async () => {
      tries += 1;
      if (isAway) throw lost;
      return false;
    };
    const apply = (message: Message) => bus.apply('directory', message);
    await bus.open('sync-worker');
    await bus.open('directory', { 'sync.batch.ready': apply }, { isIgnored });
    await bus.announceBatches([1]);
    await until(() => tries > 3 * queues['directory.batches'].deliveryLimit);
    isAway = false;
    await until(async () => (await bus.effects()).all === 1);
    expect(await bus.rows.rows('select from bus_messages')).toEqual([]);
  });
});
