import { tmpdir } from 'node:os';
import { IdsyncClient, IdsyncError, verifyWebhook } from '@idsync/client';
import { type BrokerVhost, createTestDatabase, createVhost, eachBus, type TestDatabase } from '@idsync/testing';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { Receiver } from '../apps/webhook-dispatcher/test/receiver.js';
import { Client, createTenant, type Tenant } from './support/client.js';
import { Services } from './support/services.js';

jest.setTimeout(120_000);

const timeoutMs = 60_000;

eachBus(describe)('a subscriber with its key alone, over %s,', (driver) => {
  let database: TestDatabase;
  let vhost: BrokerVhost | undefined;
  let services: Services;
  let receiver: Receiver;
  let idsync: IdsyncClient;
  let stranger: IdsyncClient;

  beforeAll(async () => {
    database = await createTestDatabase();
    vhost = driver === 'amqp' ? await createVhost() : undefined;
    receiver = await Receiver.start();
    services = await Services.start({
      databaseUrl: database.url,
      amqpUrl: vhost?.url,
      sourcesDir: tmpdir(),
      allowedCidrs: '127.0.0.0/8',
    });
    const operator = Client.operator(services.url, services.adminToken);
    const clientOf = async ({ id }: Tenant) => {
      const body = { name: 'subscriber', scopes: ['webhooks:read', 'webhooks:write', 'events:read'] };
      const { key } = (await operator.post(`/admin/v1/tenants/${id}/api-keys`, body)).body;
      return new IdsyncClient({ baseUrl: services.url, apiKey: key });
    };
    idsync = await clientOf(await createTenant(operator, 'Subscriber'));
    stranger = await clientOf(await createTenant(operator, 'Stranger'));
  });

  afterAll(async () => {
    await services?.stop();
    await receiver?.close();
    await vhost?.drop();
    await database?.drop();
  });

  async function until<T>(look: () => Promise<T | undefined>, what: string): Promise<T> {
    for (const end = Date.now() + timeoutMs; Date.now() < end; ) {
      const found = await look();
      if (found !== undefined) return found;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error(`${what}: timed out after ${timeoutMs} ms`);
  }

  it('finds out why a delivery failed, mends it and has it sent again', async () => {
    receiver.answer = (request, response) =>
      request.path === '/hook'
        ? response.writeHead(204).end()
        : response.writeHead(410, { 'x-reason': 'moved' }).end('the hook moved to /hook');
    const webhook = await idsync.webhooks.create({
      callback_url: new URL('/old', receiver.url).href,
      events: ['identity.*'],
    });
    const { public_key: publicKey } = await idsync.webhooks.createSigningKey(webhook.id);
    const { event_id } = await idsync.webhooks.test(webhook.id, { message: 'is it there?' });

    const broken = await until(async () => {
      const shown = await idsync.webhooks.get(webhook.id);
      return shown.active ? undefined : shown;
    }, 'an inactive webhook');
    expect(broken.inactive).toEqual({
      by: 'service',
      at: expect.any(String),
      reason: 'the receiver answered 410 Gone',
    });
    expect(broken.last_error).toMatchObject({ outcome: 'rejected', status_code: 410 });

    const deliveryId = broken.last_error?.delivery_id ?? '';
    const delivery = await idsync.webhooks.delivery(webhook.id, deliveryId);
    const [attempt] = delivery.attempts;
    expect(attempt).toMatchObject({
      status_code: 410,
      response_headers: { 'x-reason': 'moved' },
      response_body: 'the hook moved to /hook',
      duration_ms: expect.any(Number),
    });
    expect(attempt?.request?.url).toBe(webhook.callback_url);
    // The stored request is the one that was sent, to the byte: its signature is valid.
    const { body = '' } = delivery;
    const verified = new Webhook(webhook.signing_secret).verify(body, attempt?.request?.headers ?? {});
    expect(verified).toMatchObject({ id: event_id, data: { message: 'is it there?' } });
    expect(verifyWebhook({ body, headers: attempt?.request?.headers ?? {}, publicKey }).id).toBe(event_id);
    expect(body).toBe(receiver.received[0]?.body);
    expect(receiver.received[0]?.headers).toMatchObject(attempt?.request?.headers ?? {});

    await expect(idsync.webhooks.resend(webhook.id, deliveryId)).rejects.toThrow('the webhook is inactive');
    await idsync.webhooks.update(webhook.id, {
      callback_url: new URL('/hook', receiver.url).href,
      active: true,
    });
    const replay = await idsync.webhooks.resend(webhook.id, deliveryId);
    await until(async () => {
      const { status } = await idsync.webhooks.replay(webhook.id, replay.replay_id);
      return status === 'done' ? status : undefined;
    }, 'the end of the replay');
    const mended = await until(async () => {
      const shown = await idsync.webhooks.delivery(webhook.id, deliveryId);
      return shown.status === 'delivered' ? shown : undefined;
    }, 'a delivered delivery');
    expect(mended.attempts.map(({ status_code }) => status_code)).toEqual([410, 204]);
    expect(receiver.received.at(-1)?.headers['webhook-id']).toBe(event_id);
    const healthy = await idsync.webhooks.get(webhook.id);
    expect(healthy).toMatchObject({ active: true, failures: 0 });
    expect(healthy).not.toHaveProperty('inactive');
    const listed = [];
    for await (const { id } of idsync.webhooks.deliveries(webhook.id, { status: 'delivered' })) listed.push(id);
    expect(listed).toEqual([deliveryId]);
    for (const request of [
      () => stranger.webhooks.get(webhook.id),
      () => stranger.webhooks.delivery(webhook.id, deliveryId),
      () => stranger.webhooks.resend(webhook.id, deliveryId),
    ]) {
      await expect(request()).rejects.toMatchObject({ name: IdsyncError.name, status: 404 });
    }
  });
});
