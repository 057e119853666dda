import { freePort, until } from '@idsync/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { all, type DeliveryRow, DispatcherFixture } from '../../test/dispatcher-fixture.js';
import { Receiver } from '../../test/receiver.js';
import type { Sender, SendResult } from '../sending/http-sender.js';
import type { DeliverySettings } from './delivery-context.js';
import { initialCap } from './endpoint.js';

/** Longer than any test, so that no hanging request ends by a timeout. */
const never = 3_600_000;
const settings: Partial<DeliverySettings> = {
  exchangeMs: never,
  leaseMs: 2 * never,
  retryDelays: [never],
  longMs: never,
  breaker: { threshold: 10, firstPauseMs: never, longestPauseMs: never },
};
const limits = { exchangeMs: never };

let fixture: DispatcherFixture;
let receivers: Receiver[];
let senders: SlowSender[];
let tenant: string;

beforeAll(async () => {
  fixture = await DispatcherFixture.start();
});

beforeEach(async () => {
  receivers = [];
  senders = [];
  tenant = await fixture.tenant();
});

afterEach(async () => {
  // Before the engines, which wait for attempts in flight.
  for (const each of [...receivers, ...senders]) await each.close();
  await fixture.stopEngines();
  // Leaves nothing for the engine of the next test.
  await fixture.directory.rows('delete from webhooks');
});

afterAll(async () => {
  await fixture?.close();
});

async function receiver(answer?: Receiver['answer']): Promise<Receiver> {
  const started = await Receiver.start();
  receivers.push(started);
  if (answer) started.answer = answer;
  return started;
}

const silent: Receiver['answer'] = () => undefined;
const trickling: Receiver['answer'] = (_, response) => {
  response.writeHead(200, { 'content-length': '4000' });
  const timer = setInterval(() => response.write('.'), 1_000);
  response.once('close', () => clearInterval(timer));
};

/** A sender whose requests end when the test says so, with the duration it sets. */
class SlowSender implements Sender {
  readonly inFlight: (() => void)[] = [];
  private closed = false;

  constructor(private readonly durationMs = 6_000) {}

  send(): Promise<SendResult> {
    const result = { outcome: 'delivered', statusCode: 204, durationMs: this.durationMs } as const;
    if (this.closed) return Promise.resolve(result);
    return new Promise((resolve) => this.inFlight.push(() => resolve(result)));
  }

  async close(): Promise<void> {
    this.closed = true;
    for (const answer of this.inFlight.splice(0)) answer();
  }
}

const hung = () => receivers.reduce((total, { received }) => total + received.length, 0);

const sum = (rows: readonly DeliveryRow[], what: (row: DeliveryRow) => number) =>
  rows.reduce((total, row) => total + what(row), 0);

/** Turns the webhook's deliveries into due retries. */
async function failedBefore(webhookId: string): Promise<void> {
  await fixture.directory.rows('update webhook_deliveries set is_retry = true, attempts = 1 where webhook_id = $1', [
    webhookId,
  ]);
}

describe('endpoints next to failing ones', () => {
  it('receive everything while silent, trickling, throttling and refusing endpoints stay within their fair share', async () => {
    const healthy = await Promise.all(Array.from({ length: 50 }, () => receiver()));
    const hanging = [await receiver(silent), await receiver(trickling)];
    const asking = await receiver((_, response) => response.writeHead(429, { 'retry-after': '3600' }).end());
    const refusing = `http://127.0.0.1:${await freePort()}/hook`;
    // Failing endpoints first, so that they take their slots before the others.
    const stuck = await Promise.all(hanging.map(({ url }) => fixture.webhook(tenant, url)));
    const asks = await fixture.webhook(tenant, asking.url);
    const refuses = await fixture.webhook(tenant, refusing);
    const webhooks = await Promise.all(healthy.map(({ url }) => fixture.webhook(tenant, url)));

    const engine = fixture.engine(settings, { limits });
    const facts = 60;
    await fixture.publish(engine, tenant, Array(facts).fill('user.created'));
    for (const webhook of webhooks) await fixture.until(webhook, all('delivered'));
    expect(healthy.map(({ received }) => received.length)).toEqual(Array(50).fill(facts));

    for (const [nth, webhook] of stuck.entries()) {
      const rows = await fixture.deliveries(webhook);
      expect(rows.map(({ status }) => status)).toEqual(Array(facts).fill('pending'));
      // All attempts of this endpoint are still in flight.
      expect(sum(rows, ({ tries }) => tries)).toBe(initialCap);
      expect(sum(rows, ({ attempts }) => attempts)).toBe(0);
      expect(hanging[nth]?.received.length).toBeLessThanOrEqual(initialCap);
    }
    // The first response pauses it; by then it may have reached its concurrency cap.
    expect(asking.received.length).toBeLessThanOrEqual(initialCap);
    expect(sum(await fixture.deliveries(asks), ({ tries }) => tries)).toBeLessThanOrEqual(initialCap);
    // The tenth failure opens the breaker; up to the concurrency cap is in flight then.
    const most = 9 + initialCap;
    const refused = await fixture.deliveries(refuses);
    expect(sum(refused, ({ tries }) => tries)).toBeLessThanOrEqual(most);
    expect(refused.filter(({ tries }) => tries === 0).length).toBeGreaterThanOrEqual(facts - most);
  });

  it('keep reserved slots for first attempts while retries hang', async () => {
    const engineSettings = { ...settings, slots: 16, retrySlots: 12, tenantSlots: 16 };
    const stuck = await Promise.all(
      Array.from({ length: 4 }, async () => fixture.webhook(tenant, (await receiver(silent)).url)),
    );
    await fixture.insertEvents(tenant, Array(20).fill('user.created'));
    await fixture.fanOut(tenant);
    for (const webhook of stuck) await failedBefore(webhook);
    const engine = fixture.engine(engineSettings, { limits });
    await until(() => hung() >= 12);

    const other = await receiver();
    const elsewhere = await fixture.tenant();
    const webhook = await fixture.webhook(elsewhere, other.url);
    await fixture.publish(engine, elsewhere, Array(30).fill('user.created'));
    await fixture.until(webhook, all('delivered'));
    const tries = await Promise.all(stuck.map(async (id) => sum(await fixture.deliveries(id), (row) => row.tries)));
    expect(tries.reduce((total, each) => total + each)).toBe(12);
  });

  it('send new events while their own retries hang', async () => {
    const torn = await receiver(({ body }, response) => {
      if (JSON.parse(body).sequence > 40) response.writeHead(204).end();
    });
    const webhook = await fixture.webhook(tenant, torn.url);
    await fixture.insertEvents(tenant, Array(40).fill('user.created'));
    await fixture.fanOut(tenant);
    await failedBefore(webhook);
    const engine = fixture.engine(settings, { limits });
    await until(() => torn.received.length >= 12);
    await fixture.publish(engine, tenant, Array(10).fill('user.updated'));
    const rows = await fixture.until(webhook, (list) => all('delivered')(list.slice(40)));
    expect(sum(rows.slice(0, 40), ({ tries }) => tries)).toBeGreaterThanOrEqual(12);
    expect(rows.slice(0, 40).every(({ status }) => status === 'pending')).toBe(true);
  });

  it('share a tenant that may take only half of the slots', async () => {
    const slots = 32;
    for (let nth = 0; nth < 8; nth += 1) await fixture.webhook(tenant, (await receiver(silent)).url);
    const engine = fixture.engine({ ...settings, slots, tenantSlots: slots / 2 }, { limits });
    await fixture.publish(engine, tenant, Array(10).fill('user.created'));
    await until(() => hung() >= slots / 2);

    const elsewhere = await fixture.tenant();
    const other = await receiver();
    const webhook = await fixture.webhook(elsewhere, other.url);
    await fixture.publish(engine, elsewhere, Array(30).fill('user.created'));
    await fixture.until(webhook, all('delivered'));
    expect(hung() - other.received.length).toBe(slots / 2);
  });
});

describe('a quick endpoint next to slow ones of its tenant', () => {
  it('is served at its own pace, because slots go to the endpoint with the fewest attempts in flight', async () => {
    const slow = new SlowSender(900);
    senders.push(slow);
    const sender: Sender = {
      send: (request) =>
        request.url.includes('slow')
          ? slow.send()
          : Promise.resolve({ outcome: 'delivered', statusCode: 204, durationMs: 1 }),
      close: () => slow.close(),
    };
    const slots = { slots: 16, tenantSlots: 16, retrySlots: 16 };
    const engine = fixture.engine({ ...settings, ...slots }, { sender });
    for (let nth = 0; nth < 8; nth += 1) await fixture.webhook(tenant, `http://slow.example/${nth}`);
    await fixture.publish(engine, tenant, Array(40).fill('user.created'));
    await until(() => slow.inFlight.length === 16);
    const quick = await fixture.webhook(tenant, 'http://quick.example/hook');
    await fixture.publish(engine, tenant, Array(100).fill('user.updated'));
    for (const answer of slow.inFlight.splice(0, 2)) answer();
    await fixture.until(quick, (rows) => rows.length === 100 && all('delivered')(rows));
    expect(slow.inFlight.length).toBeGreaterThanOrEqual(14);
  });
});

describe('long attempts', () => {
  it('release their slots, so that any number of hanging endpoints does not delay others', async () => {
    const perTenant = 40;
    const engine = fixture.engine({ ...settings, slots: 32, tenantSlots: 16, longMs: 100 }, { limits });
    const hangs = await receiver(silent);
    const hanging: string[] = [];
    for (const bad of [tenant, await fixture.tenant()]) {
      for (let nth = 0; nth < perTenant; nth += 1) hanging.push(await fixture.webhook(bad, hangs.url));
      await fixture.publish(engine, bad, Array(20).fill('user.created'));
    }
    // More than the number of slots.
    await until(() => hung() > 32);

    const elsewhere = await fixture.tenant();
    const other = await receiver();
    const webhook = await fixture.webhook(elsewhere, other.url);
    await fixture.publish(engine, elsewhere, Array(30).fill('user.created'));
    await fixture.until(webhook, all('delivered'));
    for (const id of hanging.slice(0, 5)) {
      const rows = await fixture.deliveries(id);
      expect(sum(rows, ({ tries }) => tries)).toBeLessThanOrEqual(initialCap);
      expect(sum(rows, ({ attempts }) => attempts)).toBe(0);
    }
  });

  it('are limited per tenant and in total', async () => {
    const bounds = { slots: 32, tenantSlots: 32, longMs: 50, tenantLongSlots: 20, longSlots: 30 };
    const engine = fixture.engine({ ...settings, ...bounds }, { limits });
    const hangs = await receiver(silent);
    const other = await fixture.tenant();
    const tried = async (of: string) => {
      const rows = await fixture.directory.rows<{ count: number }>(
        'select count(*)::int from webhook_attempts where tenant_id = $1',
        [of],
      );
      return rows[0]?.count ?? 0;
    };
    for (const bad of [tenant, other]) {
      for (let nth = 0; nth < 30; nth += 1) await fixture.webhook(bad, hangs.url);
      await fixture.publish(engine, bad, Array(20).fill('user.created'));
      // A claim may be in progress when the limit is reached.
      await until(() => hung() >= 20);
    }
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(await tried(tenant)).toBeLessThanOrEqual(20 + 32);
    expect((await tried(tenant)) + (await tried(other))).toBeLessThanOrEqual(30 + 32);
  });
});

describe('an endpoint that responds slowly', () => {
  it('gets fewer concurrent attempts with each slow response, down to two', async () => {
    const facts = 60;
    const sender = new SlowSender();
    senders.push(sender);
    const webhook = await fixture.webhook(tenant, 'http://slow.example/hook');
    await fixture.publish(fixture.engine(settings, { sender }), tenant, Array(facts).fill('user.created'));
    await until(() => sender.inFlight.length >= initialCap);
    expect(sender.inFlight.length).toBe(initialCap);
    const beside: number[] = [];
    for (let answered = 0; answered < facts; answered += 1) {
      await until(() => sender.inFlight.length > 0);
      // The first sixteen were started before the first response.
      if (answered > initialCap) beside.push(sender.inFlight.length);
      sender.inFlight.shift()?.();
    }
    await fixture.until(webhook, all('delivered'));
    expect(Math.max(...beside)).toBeLessThanOrEqual(2);
  });
});
