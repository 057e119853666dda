import { tmpdir } from 'node:os';
import { decodeId } from '@idsync/contracts';
import {
  type BrokerVhost,
  createTestDatabase,
  createVhost,
  DirectoryFixture,
  eachBus,
  type TestDatabase,
} from '@idsync/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { Receiver } from '../apps/webhook-dispatcher/test/receiver.js';
import { type Answer, Client, createTenant, type Tenant } from './support/client.js';
import { commandLine } from './support/command-line.js';
import { Services } from './support/services.js';

jest.setTimeout(120_000);

const timeoutMs = 60_000;

eachBus(describe)('webhook operations with the CLI, over %s,', (driver) => {
  let database: TestDatabase;
  let fixture: DirectoryFixture;
  let vhost: BrokerVhost | undefined;
  let services: Services;
  let receiver: Receiver;
  let tenant: Tenant;
  let webhook: { id: string; signing_secret: string };

  beforeAll(async () => {
    database = await createTestDatabase();
    fixture = DirectoryFixture.connect(database.url);
    vhost = driver === 'amqp' ? await createVhost() : undefined;
    receiver = await Receiver.start();
    services = await Services.start({
      databaseUrl: database.url,
      amqpUrl: vhost?.url,
      sourcesDir: tmpdir(),
      allowedCidrs: '127.0.0.0/8',
    });
  });

  beforeEach(async () => {
    tenant = await createTenant(Client.operator(services.url, services.adminToken), 'Webhooks');
    const body = { callback_url: receiver.url, events: ['sync.*'] };
    webhook = (await tenant.client.post('/v1/webhooks', body)).body;
    receiver.status(204);
    receiver.received.length = 0;
  });

  afterAll(async () => {
    await services?.stop();
    await receiver?.close();
    await vhost?.drop();
    await fixture?.close();
    await database?.drop();
  });

  const { idsync, reply } = commandLine(() => ({ services, tenant }));

  async function until<T>(look: () => T | undefined | Promise<T | undefined>, what: string): Promise<T> {
    for (const end = Date.now() + timeoutMs; Date.now() < end; ) {
      const found = await look();
      if (found !== undefined) return found;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error(`${what}: timed out after ${timeoutMs} ms`);
  }

  const received = (count: number) =>
    until(() => (receiver.received.length >= count ? receiver.received : undefined), `${count} requests`);

  /** Returns the webhook's deliveries once all of them have this status. */
  const deliveries = (status: string, count: number): Promise<Answer['body'][]> =>
    until(async () => {
      const { body } = await tenant.operator.get(`/admin/v1/tenants/${tenant.id}/deliveries?status=${status}`);
      return body.data.length === count ? body.data : undefined;
    }, `${count} ${status} deliveries`);

  it('send a test event with a verifiable signature', async () => {
    const { event_id } = await reply('webhooks', 'test', webhook.id, '--message', 'is anybody there?');
    const [request] = await received(1);
    const headers = request?.headers as Record<string, string>;
    expect(new Webhook(webhook.signing_secret).verify(request?.body ?? '', headers)).toMatchObject({
      id: event_id,
      type: 'webhook.test',
      tenant_id: tenant.id,
      data: { webhook_id: webhook.id, message: 'is anybody there?' },
    });
    expect(headers['webhook-id']).toBe(event_id);
    const [delivery] = await deliveries('delivered', 1);
    const shown = await reply('deliveries', 'show', delivery.id);
    expect(shown).toMatchObject({ event_id, status: 'delivered', attempts: [{ number: 1, status_code: 204 }] });
    expect(shown.body).toBe(request?.body);
  });

  it('show dead deliveries, requeue them after the receiver recovered, and replay missed events', async () => {
    receiver.answer = (_, response) => response.writeHead(500).end('out of disk');
    for (const name of ['one', 'two', 'three']) await reply('webhooks', 'test', webhook.id, '--message', name);
    await received(3);
    // The retry schedule takes days, so the test marks the deliveries as dead.
    await until(async () => {
      const rows = await fixture.rows(
        `update webhook_deliveries set status = 'dead', ended_at = now()
            where webhook_id = $1 and lease_until is null and (select count(*) from webhook_deliveries where webhook_id = $1 and tries > 0 and lease_until is null) = 3
           returning id`,
        [decodeId('webhook', webhook.id)],
      );
      return rows.length === 3 ? rows : undefined;
    }, 'three ended attempts');
    const dead = await idsync('deliveries', 'list', '--status', 'dead');
    expect(dead.out.match(/webhook\.test +\S+ +dead +\d+ +rejected 500\n/g)).toHaveLength(3);
    const [first] = (await reply('deliveries', 'list', '--status', 'dead')).data;
    expect((await idsync('deliveries', 'show', first.id)).out).toMatch(/last response:\nout of disk\n$/);
    expect((await idsync('webhooks', 'list')).out).toMatch(/ yes +0 +3 +\S+ +\d+ +-\n/);

    receiver.status(204);
    const before = receiver.received.length;
    const watched = await idsync('webhooks', 'requeue', webhook.id, '--by', 'eve', '--watch');
    expect(watched).toMatchObject({ code: 0, err: expect.stringContaining('done 100 %') });
    expect(watched.out).toMatch(/requested_by +eve\n[\s\S]*made_due +3\n/);
    const ids = (await received(before + 3)).map(({ headers }) => headers['webhook-id']);
    expect(new Set(ids).size).toBe(3);
    await deliveries('delivered', 3);
    expect(await reply('webhooks', 'show', webhook.id)).toMatchObject({
      dead: { count: 0, exact: true },
      pending: { count: 0, exact: true },
      breaker: { state: 'closed' },
      failures: 0,
      statistics: { outcomes: { delivered: 3, rejected: expect.any(Number) } },
    });

    await reply('deliveries', 'resend', first.id, '--watch');
    const again = await received(before + 4);
    expect(again.at(-1)?.headers['webhook-id']).toBe(first.event_id);
    const replays = await idsync('replays', 'list');
    expect(replays.out).toMatch(/resend +whk_\w+ +done +100 +1 +operator[\s\S]*requeue +whk_\w+ +done +100 +3 +eve/);
  });

  it('replay a time range to a webhook created afterwards', async () => {
    const since = new Date(Date.now() - 60_000).toISOString();
    await fixture.rows(
      `with last as (update event_sequences set last = last + 3 where tenant_id = $1 returning last)
         insert into events (tenant_id, sequence, id, type, occurred_at, details)
         select $1, last - 3 + place, gen_random_uuid(), type, now(), '{}' from last,
                unnest(array['sync.job.started', 'user.created', 'sync.job.completed']) with ordinality as e (type, place)`,
      [decodeId('tenant', tenant.id)],
    );
    // Once a later event has arrived, all earlier ones were handled.
    const { event_id } = await reply('webhooks', 'test', webhook.id);
    await until(() => receiver.ids().includes(event_id) || undefined, 'the test');
    const subscription = { callback_url: `${receiver.url}/late`, events: ['sync.*'] };
    const { body: late } = await tenant.client.post('/v1/webhooks', subscription);
    const words = ['--since', since, '--events', 'sync.job.completed,user.*'];
    const replay = await reply('webhooks', 'replay', late.id, ...words, '--watch');
    expect(replay).toMatchObject({ kind: 'replay', status: 'done', progress_pct: 100, total: 4, made_due: 1 });
    const [delivery] = (await reply('deliveries', 'list', '--webhook', late.id)).data;
    expect(delivery).toMatchObject({ event_type: 'sync.job.completed', sequence: 3 });
    const request = await until(
      () => receiver.received.find(({ path }) => path === '/hook/late'),
      'the replayed event',
    );
    const verified = new Webhook(late.signing_secret).verify(request.body, request.headers as Record<string, string>);
    expect(verified).toMatchObject({ id: delivery.event_id, type: 'sync.job.completed', sequence: 3 });
    expect(await idsync('replays', 'cancel', replay.replay_id)).toMatchObject({
      code: 1,
      err: 'idsync: the replay is already done\n',
    });
  });

  it('report why nothing is sent to an inactive webhook', async () => {
    await tenant.client.call('PATCH', `/v1/webhooks/${webhook.id}`, { active: false });
    expect(await idsync('webhooks', 'requeue', webhook.id)).toMatchObject({
      code: 1,
      err: 'idsync: the webhook is inactive: activate it first\n',
    });
  });
});
