import { freePort } from '@idsync/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { all, type DeliveryRow, DispatcherFixture } from '../../test/dispatcher-fixture.js';
import { Receiver } from '../../test/receiver.js';
import type { Sender, SendResult } from '../sending/send.js';
import { initialCap } from './concurrency-cap.js';
import type { DeliverySettings } from './delivery-engine.js';

/** Longer than any test: what hangs does so to its end, and nobody can be served by a timeout of somebody else. */
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
  // Before the engines, which wait for what is under way.
  for (const each of [...receivers, ...senders]) await each.close();
  await fixture.stopEngines();
  // Nothing of it is left for the next one's engine.
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

/** What it sends is answered when the test says so, and took as long as it says each time. */
class SlowSender implements Sender {
  readonly underWay: (() => void)[] = [];
  private closed = false;

  constructor(private readonly durationMs = 6_000) {}

  send(): Promise<SendResult> {
    const result = { outcome: 'delivered', statusCode: 204, durationMs: this.durationMs } as const;
    if (this.closed) return Promise.resolve(result);
    return new Promise((resolve) => this.underWay.push(() => resolve(result)));
  }

  async close(): Promise<void> {
    this.closed = true;
    for (const answer of this.underWay.splice(0)) answer();
  }
}

/** Waits for what must come, generously bounded. */
async function come(what: () => boolean): Promise<void> {
  for (const end = Date.now() + 60_000; !what(); await new Promise((resolve) => setTimeout(resolve, 5))) {
    if (Date.now() > end) throw new Error(`it does not come: ${what}`);
  }
}

const hung = () => receivers.reduce((total, { received }) => total + received.length, 0);

const sum = (rows: readonly DeliveryRow[], what: (row: DeliveryRow) => number) =>
  rows.reduce((total, row) => total + what(row), 0);

/** Deliveries of the webhook that have failed before and are due. */
async function failedBefore(webhookId: string): Promise<void> {
  await fixture.directory.rows('update webhook_deliveries set is_retry = true, attempts = 1 where webhook_id = $1', [
    webhookId,
  ]);
}

describe('endpoints beside one that hangs', () => {
  it('get everything while a silent, a trickling, an asking and a refusing one get no more than their share', async () => {
    const healthy = await Promise.all(Array.from({ length: 50 }, () => receiver()));
    const hanging = [await receiver(silent), await receiver(trickling)];
    const asking = await receiver((_, response) => response.writeHead(429, { 'retry-after': '3600' }).end());
    const refusing = `http://127.0.0.1:${await freePort()}/hook`;
    // The bad ones first: what they take, they take before the others.
    const stuck = await Promise.all(hanging.map(({ url }) => fixture.webhook(tenant, url)));
    const asks = await fixture.webhook(tenant, asking.url);
    const refuses = await fixture.webhook(tenant, refusing);
    const webhooks = await Promise.all(healthy.map(({ url }) => fixture.webhook(tenant, url)));

    const engine = fixture.engine(settings, { limits });
    const facts = 60;
    await fixture.announce(engine, tenant, Array(facts).fill('user.created'));
    for (const webhook of webhooks) await fixture.until(webhook, all('delivered'));
    expect(healthy.map(({ received }) => received.length)).toEqual(Array(50).fill(facts));

    for (const [nth, webhook] of stuck.entries()) {
      const rows = await fixture.deliveries(webhook);
      expect(rows.map(({ status }) => status)).toEqual(Array(facts).fill('pending'));
      // Its attempts are all still under way.
      expect(sum(rows, ({ tries }) => tries)).toBe(initialCap);
      expect(sum(rows, ({ attempts }) => attempts)).toBe(0);
      expect(hanging[nth]?.received.length).toBeLessThanOrEqual(initialCap);
    }
    // The first answer parks it; by then it may have had as many as it may have at once.
    expect(asking.received.length).toBeLessThanOrEqual(initialCap);
    expect(sum(await fixture.deliveries(asks), ({ tries }) => tries)).toBeLessThanOrEqual(initialCap);
    // The tenth failure opens the breaker; as many as it may have at once are under way then.
    const most = 9 + initialCap;
    const refused = await fixture.deliveries(refuses);
    expect(sum(refused, ({ tries }) => tries)).toBeLessThanOrEqual(most);
    expect(refused.filter(({ tries }) => tries === 0).length).toBeGreaterThanOrEqual(facts - most);
  });

  it('keep slots for first attempts, whatever retries hang', async () => {
    const engineSettings = { ...settings, slots: 16, retrySlots: 12, tenantSlots: 16 };
    const stuck = await Promise.all(
      Array.from({ length: 4 }, async () => fixture.webhook(tenant, (await receiver(silent)).url)),
    );
    await fixture.happened(tenant, Array(20).fill('user.created'));
    await fixture.fanOut(tenant);
    for (const webhook of stuck) await failedBefore(webhook);
    const engine = fixture.engine(engineSettings, { limits });
    await come(() => hung() >= 12);

    const other = await receiver();
    const elsewhere = await fixture.tenant();
    const webhook = await fixture.webhook(elsewhere, other.url);
    await fixture.announce(engine, elsewhere, Array(30).fill('user.created'));
    await fixture.until(webhook, all('delivered'));
    const tries = await Promise.all(stuck.map(async (id) => sum(await fixture.deliveries(id), (row) => row.tries)));
    expect(tries.reduce((total, each) => total + each)).toBe(12);
  });

  it('are not held up by retries of their own: new facts go out beside them', async () => {
    const torn = await receiver(({ body }, response) => {
      if (JSON.parse(body).sequence > 40) response.writeHead(204).end();
    });
    const webhook = await fixture.webhook(tenant, torn.url);
    await fixture.happened(tenant, Array(40).fill('user.created'));
    await fixture.fanOut(tenant);
    await failedBefore(webhook);
    const engine = fixture.engine(settings, { limits });
    await come(() => torn.received.length >= 12);
    await fixture.announce(engine, tenant, Array(10).fill('user.updated'));
    const rows = await fixture.until(webhook, (list) => all('delivered')(list.slice(40)));
    expect(sum(rows.slice(0, 40), ({ tries }) => tries)).toBeGreaterThanOrEqual(12);
    expect(rows.slice(0, 40).every(({ status }) => status === 'pending')).toBe(true);
  });

  it('share a tenant that may take half of the slots only', async () => {
    const slots = 32;
    for (let nth = 0; nth < 8; nth += 1) await fixture.webhook(tenant, (await receiver(silent)).url);
    const engine = fixture.engine({ ...settings, slots, tenantSlots: slots / 2 }, { limits });
    await fixture.announce(engine, tenant, Array(10).fill('user.created'));
    await come(() => hung() >= slots / 2);

    const elsewhere = await fixture.tenant();
    const other = await receiver();
    const webhook = await fixture.webhook(elsewhere, other.url);
    await fixture.announce(engine, elsewhere, Array(30).fill('user.created'));
    await fixture.until(webhook, all('delivered'));
    expect(hung() - other.received.length).toBe(slots / 2);
  });
});

describe('a quick endpoint among slow ones of its tenant', () => {
  it('is served at its own pace: slots go to whoever has the least under way', async () => {
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
    await fixture.announce(engine, tenant, Array(40).fill('user.created'));
    await come(() => slow.underWay.length === 16);
    const quick = await fixture.webhook(tenant, 'http://quick.example/hook');
    await fixture.announce(engine, tenant, Array(100).fill('user.updated'));
    for (const answer of slow.underWay.splice(0, 2)) answer();
    await fixture.until(quick, (rows) => rows.length === 100 && all('delivered')(rows));
    expect(slow.underWay.length).toBeGreaterThanOrEqual(14);
  });
});

describe('attempts that take long', () => {
  it('give their slots to others, so that endpoints that hang take nobody their turn, however many they are', async () => {
    const perTenant = 40;
    const engine = fixture.engine({ ...settings, slots: 32, tenantSlots: 16, longMs: 100 }, { limits });
    const hangs = await receiver(silent);
    const hanging: string[] = [];
    for (const bad of [tenant, await fixture.tenant()]) {
      for (let nth = 0; nth < perTenant; nth += 1) hanging.push(await fixture.webhook(bad, hangs.url));
      await fixture.announce(engine, bad, Array(20).fill('user.created'));
    }
    // More than there are slots.
    await come(() => hung() > 32);

    const elsewhere = await fixture.tenant();
    const other = await receiver();
    const webhook = await fixture.webhook(elsewhere, other.url);
    await fixture.announce(engine, elsewhere, Array(30).fill('user.created'));
    await fixture.until(webhook, all('delivered'));
    for (const id of hanging.slice(0, 5)) {
      const rows = await fixture.deliveries(id);
      expect(sum(rows, ({ tries }) => tries)).toBeLessThanOrEqual(initialCap);
      expect(sum(rows, ({ attempts }) => attempts)).toBe(0);
    }
  });

  it('are bounded for a tenant, and for all', async () => {
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
      await fixture.announce(engine, bad, Array(20).fill('user.created'));
      // A claim may be under way when the bound is reached.
      await come(() => hung() >= 20);
    }
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(await tried(tenant)).toBeLessThanOrEqual(20 + 32);
    expect((await tried(tenant)) + (await tried(other))).toBeLessThanOrEqual(30 + 32);
  });
});

describe('an endpoint that answers slowly', () => {
  it('has fewer attempts at a time with each slow answer, down to two', async () => {
    const facts = 60;
    const sender = new SlowSender();
    senders.push(sender);
    const webhook = await fixture.webhook(tenant, 'http://slow.example/hook');
    await fixture.announce(fixture.engine(settings, { sender }), tenant, Array(facts).fill('user.created'));
    await come(() => sender.underWay.length >= initialCap);
    expect(sender.underWay.length).toBe(initialCap);
    const beside: number[] = [];
    for (let answered = 0; answered < facts; answered += 1) {
      await come(() => sender.underWay.length > 0);
      // The first sixteen were there before the first answer.
      if (answered > initialCap) beside.push(sender.underWay.length);
      sender.underWay.shift()?.();
    }
    await fixture.until(webhook, all('delivered'));
    expect(Math.max(...beside)).toBeLessThanOrEqual(2);
  });
});
