import { hasBroker, LatePort } from '@idsync/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { BusFixture, until } from '../test/bus-fixture.js';

if (!hasBroker()) process.stderr.write('AMQP_URL is not set: a database that is away is left out for RabbitMQ.\n');

describe.each(hasBroker() ? (['postgres', 'amqp'] as const) : (['postgres'] as const))(
  'a database that is away from whoever consumes, over %s',
  (driver) => {
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

    it.each([
      ['an ordered queue', 'webhook-dispatcher', 'facts.recorded'],
      ['any other queue', 'directory', 'sync.batch.ready'],
    ] as const)('costs the messages of %s one attempt, however long it takes', async (_, service, type) => {
      await bus.open(service === 'directory' ? 'sync-worker' : 'directory');
      bus.reachDatabaseAt(way.url);
      const attempts: number[] = [];
      let reached = false;
      await bus.open(service, {
        [type]: async (message, { attempt }) => {
          attempts.push(attempt);
          if (attempts.length === 1) await way.close();
          await bus.apply(service, message);
          reached = true;
        },
      });
      await (service === 'directory' ? bus.announceBatches([1]) : bus.announceFacts('one', [1]));
      await until(() => attempts.length > 0);
      // As long as forty attempts would take.
      await new Promise((resolve) => setTimeout(resolve, 400));
      expect(attempts.length).toBeLessThanOrEqual(2);
      await way.open();
      await until(() => reached);
      expect(await bus.effects()).toEqual({ all: 1, distinct: 1 });
      // Connections that died with it may cost another one.
      expect(attempts.at(-1)).toBeLessThan(5);
    });
  },
);
