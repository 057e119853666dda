import { queues, type ServiceName, services } from '@idsync/contracts';
import { hasBroker } from '@idsync/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { connect } from 'amqplib';
import { BusFixture } from '../../test/bus-fixture.js';
import { brokerPermissions } from './assert-topology.js';

const nothing = { configure: '^$', write: '^$', read: '^$' };

if (!hasBroker()) process.stderr.write('AMQP_URL is not set: logins at RabbitMQ are not tested.\n');

(hasBroker() ? describe : describe.skip)('the RabbitMQ login of a service', () => {
  let fixture: BusFixture;
  const urls = new Map<ServiceName | 'watcher', string>();

  beforeAll(async () => {
    fixture = await BusFixture.create('amqp');
    for (const service of services) urls.set(service, await fixture.logInWith(service, brokerPermissions(service)));
    urls.set('watcher', await fixture.logInWith('watcher', nothing));
  });
  afterAll(() => fixture?.remove());

  it('delivers a message sent before its consumer has ever run', async () => {
    fixture.reachBrokerAt(urls.get('sync-worker') ?? '');
    await fixture.open('sync-worker');
    await fixture.announceBatches([1]);
    const taken = new Promise<void>((resolve) => {
      fixture.reachBrokerAt(urls.get('directory') ?? '');
      void fixture.open('directory', { 'sync.batch.ready': async () => resolve() });
    });
    await taken;
  });

  it('can neither read nor declare a queue of another service', async () => {
    for (const [queue, { service }] of Object.entries(queues)) {
      const other = services.find((each) => each !== service) ?? 'gateway';
      expect(await attempt(other, (channel) => channel.consume(queue, () => undefined))).toMatch(/403|ACCESS.REFUSED/);
      expect(await attempt(other, (channel) => channel.deleteQueue(queue))).toMatch(/403|ACCESS.REFUSED/);
    }
  });

  it('without permissions can count the messages of a queue but not consume them', async () => {
    fixture.reachBrokerAt(urls.get('directory') ?? '');
    await fixture.open('directory');
    expect(await attempt('watcher', (channel) => channel.checkQueue('directory.batches'))).toBe('done');
    expect(await attempt('watcher', (channel) => channel.get('directory.batches'))).toMatch(/403|ACCESS.REFUSED/);
    expect(await attempt('watcher', (channel) => channel.purgeQueue('directory.batches'))).toMatch(
      /403|ACCESS.REFUSED/,
    );
  });

  type Channel = Awaited<ReturnType<Awaited<ReturnType<typeof connect>>['createChannel']>>;

  async function attempt(who: ServiceName | 'watcher', work: (channel: Channel) => Promise<unknown>): Promise<string> {
    const model = await connect(urls.get(who) ?? '');
    model.on('error', () => undefined);
    try {
      const channel = await model.createChannel();
      channel.on('error', () => undefined);
      await work(channel);
      return 'done';
    } catch (error) {
      return String(error);
    } finally {
      await model.close().catch(() => undefined);
    }
  }
});
