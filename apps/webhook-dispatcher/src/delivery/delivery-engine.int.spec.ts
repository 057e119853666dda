import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';
import { all, type DeliveryRow, DispatcherFixture } from '../../test/dispatcher-fixture.js';
import { Receiver } from '../../test/receiver.js';
import type { Sender, SendResult } from '../sending/send.js';

let fixture: DispatcherFixture;
let receiver: Receiver;
let tenant: string;

beforeAll(async () => {
  fixture = await DispatcherFixture.start();
});

beforeEach(async () => {
  receiver = await Receiver.start();
  tenant = await fixture.tenant();
});

afterEach(async () => {
  await fixture.stopEngines();
  await receiver.close();
});

afterAll(async () => {
  await fixture?.close();
});

describe('delivering', () => {
  it('sends each event once, in the order of the events, and notes what was answered', async () => {
    const webhook = await fixture.webhook(tenant, receiver.url, ['user.*']);
    receiver.answer = (_, response) => response.writeHead(201).end('thanks');
    const engine = fixture.engine();
    await fixture.announce(engine, tenant, ['user.created', 'identity.created', 'user.updated']);
    const rows = await fixture.until(webhook, all('delivered'));
    expect(rows.map(({ sequence, attempts, tries }) => [sequence, attempts, tries])).toEqual([
      [1, 1, 1],
      [3, 1, 1],
    ]);
    const [first] = rows;
    expect(await fixture.attempts(first?.id ?? '')).toEqual([
      { number: 1, outcome: 'delivered', statusCode: 201, error: null, responseBody: 'thanks' },
    ]);
    expect(receiver.received.map(({ body }) => JSON.parse(body).sequence).sort()).toEqual([1, 3]);
    expect(receiver.received[0]?.headers['content-type']).toBe('application/json');
  });

  it('signs so that the verifiers of Standard Webhooks and Svix accept it, with every live secret', async () => {
    const webhook = await fixture.webhook(tenant, receiver.url);
    const secrets = [await fixture.secret(tenant, webhook), await fixture.secret(tenant, webhook)];
    await fixture.announce(fixture.engine(), tenant, ['user.created']);
    await fixture.until(webhook, all('delivered'));
    const [{ headers, body }] = receiver.received as [(typeof receiver.received)[number]];
    expect(String(headers['webhook-signature']).split(' ')).toHaveLength(3);
    for (const secret of secrets) {
      expect(new Webhook(secret).verify(body, headers as Record<string, string>)).toMatchObject({
        type: 'user.created',
      });
      expect(new SvixWebhook(secret).verify(body, headers as Record<string, string>)).toMatchObject({ sequence: 1 });
    }
    expect(() => new Webhook(secrets[0] ?? '').verify(`${body} `, headers as Record<string, string>)).toThrow();
  });
});

describe('a failed attempt', () => {
  it('is repeated by the schedule until one succeeds, with the same id and the same bytes', async () => {
    const webhook = await fixture.webhook(tenant, receiver.url);
    receiver.answer = (_, response) => response.writeHead(receiver.received.length < 3 ? 500 : 200).end();
    const engine = fixture.engine({ retryDelays: [10, 10, 10] });
    await fixture.announce(engine, tenant, ['user.created']);
    const [row] = await fixture.until(webhook, all('delivered'));
    expect(row).toMatchObject({ attempts: 3, tries: 3 });
    expect(new Set(receiver.ids()).size).toBe(1);
    expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1);
    const outcomes = (await fixture.attempts(row?.id ?? '')).map(({ outcome, statusCode }) => [outcome, statusCode]);
    expect(outcomes).toEqual([
      ['rejected', 500],
      ['rejected', 500],
      ['delivered', 200],
    ]);
  });

  it('is due again in five seconds, or later if the receiver asks for it', async () => {
    const plain = await fixture.webhook(tenant, receiver.url);
    const asking = await Receiver.start();
    asking.status(429, { 'retry-after': '100' });
    receiver.status(500);
    const patient = await fixture.webhook(tenant, asking.url);
    await fixture.announce(fixture.engine(), tenant, ['user.created']);
    const failed = (rows: DeliveryRow[]) => rows.every(({ attempts }) => attempts === 1);
    const [soon] = await fixture.until(plain, failed);
    const [late] = await fixture.until(patient, failed);
    expect(soon?.dueInMs).toBeLessThanOrEqual(6_000);
    expect(late?.dueInMs).toBeGreaterThan(60_000);
    expect(late?.dueInMs).toBeLessThanOrEqual(100_000);
    await asking.close();
  });

  it('is the last one where the schedule ends: the delivery is dead, and what comes later is still sent', async () => {
    const webhook = await fixture.webhook(tenant, receiver.url);
    receiver.answer = ({ body }, response) => response.writeHead(JSON.parse(body).sequence === 1 ? 400 : 200).end();
    const engine = fixture.engine({ retryDelays: [5, 5] });
    await fixture.announce(engine, tenant, ['user.created', 'user.updated']);
    const rows = await fixture.until(webhook, (list) => list.every(({ status }) => status !== 'pending'));
    expect(rows.map(({ status, attempts }) => [status, attempts])).toEqual([
      ['dead', 3],
      ['delivered', 1],
    ]);
  });

  it('with 410 switches the webhook off at once and keeps what was not delivered', async () => {
    const webhook = await fixture.webhook(tenant, receiver.url);
    receiver.status(410);
    const engine = fixture.engine();
    await fixture.announce(engine, tenant, ['user.created']);
    await fixture.until(webhook, (rows) => rows.every(({ attempts }) => attempts === 1));
    expect(await endpointOf(webhook)).toMatchObject({ active: false, reason: 'the receiver answered 410 Gone' });
    receiver.status(200);
    await fixture.directory.rows('update webhook_deliveries set due_at = now() where webhook_id = $1', [webhook]);
    await fixture.directory.rows('update webhooks set active = true, updated_at = now() where id = $1', [webhook]);
    await fixture.until(webhook, all('delivered'));
    // What was known of it is forgotten by a look, which may come after the claim.
    for (let looks = 0; looks < 1_000 && (await endpointOf(webhook))?.reason; looks += 1) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    expect(await endpointOf(webhook)).toMatchObject({ active: true, reason: null });
  });

  it('after days without a success switches the webhook off, if a delivery was given up', async () => {
    const webhook = await fixture.webhook(tenant, receiver.url);
    receiver.status(500);
    const engine = fixture.engine({ retryDelays: [60_000] });
    await fixture.announce(engine, tenant, ['user.created']);
    await fixture.until(webhook, (rows) => rows.every(({ attempts }) => attempts === 1));
    const longAgo = `update webhook_endpoints set failing_since = now() - interval '6 days' where webhook_id = $1`;
    await fixture.directory.rows(longAgo, [webhook]);
    await fixture.announce(engine, tenant, ['user.updated']);
    await fixture.until(webhook, (rows) => rows.every(({ attempts }) => attempts === 1));
    expect(await endpointOf(webhook)).toMatchObject({ active: true });
    await fixture.directory.rows('update webhook_deliveries set due_at = now() where webhook_id = $1', [webhook]);
    await fixture.until(webhook, (rows) => rows.some(({ status }) => status === 'dead'));
    expect(await endpointOf(webhook)).toMatchObject({ active: false });
  });

  it('again and again parks the endpoint without spending attempts of what waits', async () => {
    const webhook = await fixture.webhook(tenant, receiver.url);
    receiver.status(500);
    const breaker = { threshold: 3, firstPauseMs: 600_000, longestPauseMs: 600_000 };
    const engine = fixture.engine({ breaker });
    await fixture.announce(engine, tenant, ['user.created', 'user.updated', 'user.deleted']);
    await fixture.until(webhook, (rows) => rows.every(({ attempts }) => attempts === 1));
    await fixture.announce(engine, tenant, ['user.created', 'user.updated']);
    // Another endpoint is served meanwhile, so this one was passed over.
    const other = await Receiver.start();
    const healthy = await fixture.webhook(tenant, other.url);
    await fixture.announce(engine, tenant, ['user.deleted']);
    await fixture.until(healthy, all('delivered'));
    expect((await fixture.deliveries(webhook)).map(({ attempts }) => attempts)).toEqual([1, 1, 1, 0, 0, 0]);
    expect(receiver.received).toHaveLength(3);
    // Also by a process that has just begun, which knows of it from the database.
    await fixture.stopEngines();
    await fixture.announce(fixture.engine({ breaker }), tenant, ['user.deleted']);
    await fixture.until(healthy, (rows) => rows.length === 2 && all('delivered')(rows));
    // Whoever changes the webhook wants it tried again.
    receiver.status(200);
    await fixture.directory.rows('update webhooks set updated_at = now() where id = $1', [webhook]);
    await fixture.until(webhook, (rows) => rows.filter(({ status }) => status === 'delivered').length >= 4);
    await other.close();
  });
});

describe('a lease', () => {
  it('that runs out is taken over; the lost attempt is unknown, and whoever lost it writes nothing', async () => {
    const webhook = await fixture.webhook(tenant, receiver.url);
    const sent: ((result: SendResult) => void)[] = [];
    const stuck: Sender = {
      send: () => new Promise((resolve) => sent.push(resolve)),
      close: async () => undefined,
    };
    const lost = fixture.engine({ leaseMs: 400, exchangeMs: 100 }, { sender: stuck });
    await fixture.announce(lost, tenant, ['user.created']);
    while (sent.length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    fixture.engine();
    const [row] = await fixture.until(webhook, all('delivered'));
    for (const resolve of sent) resolve({ outcome: 'rejected', statusCode: 500, durationMs: 1 });
    await fixture.stopEngines();
    expect(await fixture.deliveries(webhook)).toEqual([expect.objectContaining({ status: 'delivered', attempts: 1 })]);
    const attempts = await fixture.attempts(row?.id ?? '');
    expect(attempts.at(-1)).toMatchObject({ outcome: 'delivered', statusCode: 204 });
    expect(attempts.slice(0, -1).map(({ outcome }) => outcome)).toEqual(attempts.slice(0, -1).map(() => 'unknown'));
    expect(attempts.length).toBeGreaterThan(1);
  });

  it('is one for each delivery, however many processes work', async () => {
    const webhook = await fixture.webhook(tenant, receiver.url);
    const engines = [fixture.engine(), fixture.engine(), fixture.engine()];
    await fixture.happened(tenant, Array(300).fill('user.created'));
    const found = await fixture.fanOut(tenant);
    for (const engine of engines) engine.wake(found);
    await fixture.until(webhook, all('delivered'));
    expect(new Set(receiver.ids()).size).toBe(300);
    expect(receiver.received).toHaveLength(300);
  });

  it('is found without any message, also of what was committed while nobody ran', async () => {
    const webhook = await fixture.webhook(tenant, receiver.url);
    await fixture.happened(tenant, ['user.created', 'user.updated']);
    await fixture.fanOut(tenant);
    fixture.engine();
    await fixture.until(webhook, all('delivered'));
  });
});

describe('what is sent', () => {
  it('waits while the webhook is inactive, and goes nowhere once it is deleted', async () => {
    const paused = await fixture.webhook(tenant, receiver.url);
    const deleted = await fixture.webhook(tenant, receiver.url);
    const engine = fixture.engine();
    await fixture.happened(tenant, ['user.created']);
    const found = await fixture.fanOut(tenant);
    await fixture.directory.rows('update webhooks set active = false where id = $1', [paused]);
    await fixture.directory.rows('delete from webhooks where id = $1', [deleted]);
    engine.wake(found);
    const other = await fixture.webhook(tenant, receiver.url);
    await fixture.announce(engine, tenant, ['user.updated']);
    await fixture.until(other, all('delivered'));
    expect(receiver.received).toHaveLength(1);
    await fixture.directory.rows('update webhooks set active = true, updated_at = now() where id = $1', [paused]);
    await fixture.until(paused, all('delivered'));
    expect(await fixture.deliveries(deleted)).toMatchObject([{ status: 'pending', tries: 0 }]);
  });

  it('is rendered anew where an erasure has taken it', async () => {
    const webhook = await fixture.webhook(tenant, receiver.url);
    await fixture.happened(tenant, ['user.created']);
    const found = await fixture.fanOut(tenant);
    await fixture.directory.rows('delete from event_payloads where tenant_id = $1', [tenant]);
    fixture.engine().wake(found);
    await fixture.until(webhook, all('delivered'));
    expect(JSON.parse(receiver.received[0]?.body ?? '')).toMatchObject({ type: 'user.created', data: { changed: [] } });
  });

  it('is signed with the secrets that open; with none of them it waits, which is no failure of the receiver', async () => {
    const webhook = await fixture.webhook(tenant, receiver.url);
    await fixture.directory.rows(`update webhook_secrets set ciphertext = '\\x00' where webhook_id = $1`, [webhook]);
    const engine = fixture.engine({ unsignedPauseMs: 50 });
    await fixture.announce(engine, tenant, ['user.created']);
    const [waiting] = await fixture.until(webhook, (rows) => rows.every(({ tries }) => tries > 2));
    expect(waiting).toMatchObject({ status: 'pending', attempts: 0 });
    expect((await fixture.attempts(waiting?.id ?? ''))[0]).toMatchObject({ number: 1, outcome: 'unsigned' });
    const failures = 'select from webhook_endpoints where webhook_id = $1 and failures > 0';
    expect(await fixture.directory.rows(failures, [webhook])).toEqual([]);
    expect(receiver.received).toEqual([]);
    const secret = await fixture.secret(tenant, webhook);
    await fixture.until(webhook, all('delivered'));
    const [{ headers, body }] = receiver.received as [(typeof receiver.received)[number]];
    expect(new Webhook(secret).verify(body, headers as Record<string, string>)).toMatchObject({ sequence: 1 });
  });
});

async function endpointOf(webhook: string) {
  const [row] = await fixture.directory.rows<{ active: boolean; reason: string | null }>(
    `select w.active, e.disabled_reason as reason from webhooks w left join webhook_endpoints e on e.webhook_id = w.id
      where w.id = $1`,
    [webhook],
  );
  return row;
}
