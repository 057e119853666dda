import { encodeId, newUuid } from '@idsync/contracts';
import { silentLogger } from '@idsync/runtime';
import { until } from '@idsync/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { all, type DeliveryRow, DispatcherFixture } from '../../test/dispatcher-fixture.js';
import { Receiver } from '../../test/receiver.js';
import { fanOutPart } from '../fan-out.js';
import type { Sender, SendResult } from '../sending/http-sender.js';
import { AttemptRecorder } from './attempt-recorder.js';
import { defaultSettings } from './delivery-context.js';
import type { DeliveryEngine } from './delivery-engine.service.js';

type Delivered = Receiver['received'][number];

/** Settings with which an attempt begins after the one before has ended. */
const oneByOne = { slots: 1, retrySlots: 1, tenantSlots: 1, longMs: 60_000 };

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

describe('delivering events', () => {
  it('sends each event once, in order, and records the response', async () => {
    const webhook = await fixture.webhook(tenant, receiver.url, ['user.*']);
    receiver.answer = (_, response) => response.writeHead(201).end('thanks');
    const engine = fixture.engine();
    await fixture.publish(engine, tenant, ['user.created', 'identity.created', 'user.updated']);
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

  it('sends events in their order, also one by one', async () => {
    const webhook = await fixture.webhook(tenant, receiver.url);
    await fixture.insertEvents(tenant, Array(4).fill('user.created'));
    await fixture.fanOut(tenant);
    fixture.engine(oneByOne);
    await fixture.until(webhook, all('delivered'));
    expect(receiver.received.map(({ body }) => JSON.parse(body).sequence)).toEqual([1, 2, 3, 4]);
  });

  it('signs with every valid secret, so that a verifier of Standard Webhooks accepts it', async () => {
    const webhook = await fixture.webhook(tenant, receiver.url);
    const secrets = [await fixture.secret(tenant, webhook), await fixture.secret(tenant, webhook)];
    await fixture.publish(fixture.engine(), tenant, ['user.created']);
    await fixture.until(webhook, all('delivered'));
    const [{ headers, body }] = receiver.received as [(typeof receiver.received)[number]];
    expect(String(headers['webhook-signature']).split(' ')).toHaveLength(3);
    for (const secret of secrets) {
      expect(new Webhook(secret).verify(body, headers as Record<string, string>)).toMatchObject({
        type: 'user.created',
      });
    }
    expect(() => new Webhook(secrets[0] ?? '').verify(`${body} `, headers as Record<string, string>)).toThrow();
  });

  it('sends its additional headers, and stores their names only', async () => {
    const webhook = await fixture.webhook(tenant, receiver.url);
    await fixture.headers(tenant, webhook, { authorization: 'Bearer s3cret' });
    await fixture.publish(fixture.engine(), tenant, ['user.created']);
    const [row] = await fixture.until(webhook, all('delivered'));
    const { headers } = receiver.received[0] ?? {};
    expect(headers?.authorization).toBe('Bearer s3cret');
    const [attempt] = await fixture.directory.rows<{ request: { url: string; headers: object } }>(
      'select request from webhook_attempts where delivery_id = $1',
      [row?.id],
    );
    expect(attempt?.request).toEqual({
      url: receiver.url,
      headers: expect.objectContaining({
        authorization: '***',
        'content-type': 'application/json',
        'webhook-signature': headers?.['webhook-signature'],
      }),
    });
  });

  it('sends nothing while its additional headers cannot be decrypted', async () => {
    const webhook = await fixture.webhook(tenant, receiver.url);
    await fixture.headers(tenant, webhook, { authorization: 'x' });
    await fixture.directory.rows(`update webhook_headers set ciphertext = '\\x00' where webhook_id = $1`, [webhook]);
    await fixture.publish(fixture.engine({ unsignedPauseMs: 50 }), tenant, ['user.created']);
    const [row] = await fixture.until(webhook, (rows) => rows.every(({ tries }) => tries > 1));
    expect((await fixture.attempts(row?.id ?? ''))[0]).toMatchObject({
      outcome: 'unsigned',
      error: 'the additional headers cannot be decrypted with the configured keys',
    });
    expect(receiver.received).toEqual([]);
  });

  it('sends only ids to a webhook that wants thin payloads, the same bytes even if this changes', async () => {
    const webhook = await fixture.webhook(tenant, receiver.url);
    await fixture.directory.rows(`update webhooks set payload = 'thin' where id = $1`, [webhook]);
    receiver.answer = (_, response) => response.writeHead(receiver.received.length < 2 ? 500 : 204).end();
    const engine = fixture.engine({ retryDelays: [10, 10] });
    const details = { job_id: 'job_y', note: 'about Ann' };
    await fixture.publish(engine, tenant, ['sync.job.completed'], details);
    await fixture.directory.rows(`update webhooks set payload = 'full' where id = $1`, [webhook]);
    await fixture.until(webhook, all('delivered'));
    const bodies = receiver.received.map(({ body }) => body);
    expect(new Set(bodies).size).toBe(1);
    expect(JSON.parse(bodies[0] ?? '')).toEqual({
      id: receiver.ids()[0],
      type: 'sync.job.completed',
      timestamp: expect.any(String),
      tenant_id: encodeId('tenant', tenant),
      sequence: 1,
      data: { job_id: 'job_y' },
    });
  });
});

describe('a failed webhook attempt', () => {
  it('is retried on schedule until one succeeds, with the same id and the same bytes', async () => {
    const webhook = await fixture.webhook(tenant, receiver.url);
    receiver.answer = (_, response) => response.writeHead(receiver.received.length < 3 ? 500 : 200).end();
    const engine = fixture.engine({ retryDelays: [10, 10, 10] });
    await fixture.publish(engine, tenant, ['user.created']);
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

  it('is retried before those that are due for a shorter time, whatever the order of their events', async () => {
    const webhook = await fixture.webhook(tenant, receiver.url);
    await fixture.insertEvents(tenant, Array(4).fill('user.created'));
    await fixture.fanOut(tenant);
    await fixture.directory.rows(
      `update webhook_deliveries set is_retry = true, attempts = 1,
              due_at = now() - (array[2, 4, 1, 3])[event_sequence] * interval '1 minute' where webhook_id = $1`,
      [webhook],
    );
    fixture.engine(oneByOne);
    await fixture.until(webhook, all('delivered'));
    expect(receiver.received.map(({ body }) => JSON.parse(body).sequence)).toEqual([2, 4, 1, 3]);
  });

  it('is retried without the secrets that expired meanwhile', async () => {
    const webhook = await fixture.webhook(tenant, receiver.url);
    const leaked = await fixture.secret(tenant, webhook);
    let fresh = '';
    receiver.answer = async (_, response) => {
      const first = receiver.received.length === 1;
      if (first) fresh = await fixture.rotateNow(tenant, webhook);
      response.writeHead(first ? 500 : 200).end();
    };
    await fixture.publish(fixture.engine({ retryDelays: [10] }), tenant, ['user.created']);
    await fixture.until(webhook, all('delivered'));
    const [before, after] = receiver.received as [Delivered, Delivered];
    const accepts = (secret: string, { headers, body }: Delivered) => {
      try {
        return new Webhook(secret).verify(body, headers as Record<string, string>) !== undefined;
      } catch {
        return false;
      }
    };
    expect([accepts(leaked, before), accepts(leaked, after), accepts(fresh, after)]).toEqual([true, false, true]);
    expect(String(after.headers['webhook-signature']).split(' ')).toHaveLength(1);
  });

  it('is retried in five seconds, or later if the receiver sends Retry-After', async () => {
    const plain = await fixture.webhook(tenant, receiver.url);
    const asking = await Receiver.start();
    asking.status(429, { 'retry-after': '100' });
    receiver.status(500);
    const patient = await fixture.webhook(tenant, asking.url);
    await fixture.publish(fixture.engine(), tenant, ['user.created']);
    const failed = (rows: DeliveryRow[]) => rows.every(({ attempts }) => attempts === 1);
    const [soon] = await fixture.until(plain, failed);
    const [late] = await fixture.until(patient, failed);
    expect(soon?.dueInMs).toBeLessThanOrEqual(6_000);
    expect(late?.dueInMs).toBeGreaterThan(60_000);
    expect(late?.dueInMs).toBeLessThanOrEqual(100_000);
    await asking.close();
  });

  it.each([-3_600_000, 3_600_000])(
    'is scheduled by the clock of PostgreSQL when the host clock is %s ms off',
    async (off) => {
      const { now } = Date;
      const wrong = jest.spyOn(Date, 'now').mockImplementation(() => now.call(Date) + off);
      try {
        const webhook = await fixture.webhook(tenant, receiver.url);
        receiver.status(500);
        await fixture.publish(fixture.engine({ retryDelays: [600_000] }), tenant, ['user.created']);
        const [row] = await fixture.until(webhook, (rows) => rows.every(({ attempts }) => attempts === 1));
        expect(row?.dueInMs).toBeGreaterThan(300_000);
        expect(row?.dueInMs).toBeLessThanOrEqual(720_000);
      } finally {
        wrong.mockRestore();
      }
    },
  );

  it('makes the delivery dead at the end of the schedule; later events are still sent', async () => {
    const webhook = await fixture.webhook(tenant, receiver.url);
    receiver.answer = ({ body }, response) => response.writeHead(JSON.parse(body).sequence === 1 ? 400 : 200).end();
    const engine = fixture.engine({ retryDelays: [5, 5] });
    await fixture.publish(engine, tenant, ['user.created', 'user.updated']);
    const rows = await fixture.until(webhook, (list) => list.every(({ status }) => status !== 'pending'));
    expect(rows.map(({ status, attempts }) => [status, attempts])).toEqual([
      ['dead', 3],
      ['delivered', 1],
    ]);
  });

  it('disables the webhook immediately on 410 and retains pending deliveries', async () => {
    const webhook = await fixture.webhook(tenant, receiver.url);
    receiver.status(410);
    const engine = fixture.engine();
    await fixture.publish(engine, tenant, ['user.created']);
    await fixture.until(webhook, (rows) => rows.every(({ attempts }) => attempts === 1));
    expect(await endpointOf(webhook)).toMatchObject({ active: false, reason: 'the receiver answered 410 Gone' });
    receiver.status(200);
    await fixture.directory.rows('update webhook_deliveries set due_at = now() where webhook_id = $1', [webhook]);
    await fixture.directory.rows('update webhooks set active = true, updated_at = now() where id = $1', [webhook]);
    await fixture.until(webhook, all('delivered'));
    // The poll that resets the endpoint may come after the claim.
    for (let polls = 0; polls < 1_000 && (await endpointOf(webhook))?.reason; polls += 1) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    expect(await endpointOf(webhook)).toMatchObject({ active: true, reason: null });
  });

  it('disables the webhook after days without a success if a delivery became dead', async () => {
    const webhook = await fixture.webhook(tenant, receiver.url);
    receiver.status(500);
    const engine = fixture.engine({ retryDelays: [60_000] });
    await fixture.publish(engine, tenant, ['user.created']);
    await fixture.until(webhook, (rows) => rows.every(({ attempts }) => attempts === 1));
    const longAgo = `update webhook_endpoints set failing_since = now() - interval '6 days' where webhook_id = $1`;
    await fixture.directory.rows(longAgo, [webhook]);
    await fixture.publish(engine, tenant, ['user.updated']);
    await fixture.until(webhook, (rows) => rows.every(({ attempts }) => attempts === 1));
    expect(await endpointOf(webhook)).toMatchObject({ active: true });
    await fixture.directory.rows('update webhook_deliveries set due_at = now() where webhook_id = $1', [webhook]);
    await fixture.until(webhook, (rows) => rows.some(({ status }) => status === 'dead'));
    expect(await endpointOf(webhook)).toMatchObject({ active: false });
    const events = `select details from events where tenant_id = $1 and type = 'webhook.disabled'`;
    expect(await fixture.directory.rows(events, [tenant])).toEqual([
      { details: { webhook_id: encodeId('webhook', webhook), reason: 'failing' } },
    ]);
  });

  it('opens the breaker after repeated failures, without spending attempts of pending deliveries', async () => {
    const webhook = await fixture.webhook(tenant, receiver.url);
    receiver.status(500);
    const breaker = { threshold: 3, firstPauseMs: 600_000, longestPauseMs: 600_000 };
    const engine = fixture.engine({ breaker });
    await fixture.publish(engine, tenant, ['user.created', 'user.updated', 'user.deleted']);
    await fixture.until(webhook, (rows) => rows.every(({ attempts }) => attempts === 1));
    await fixture.publish(engine, tenant, ['user.created', 'user.updated']);
    // Another endpoint was served meanwhile, so this one was skipped.
    const other = await Receiver.start();
    const healthy = await fixture.webhook(tenant, other.url);
    await fixture.publish(engine, tenant, ['user.deleted']);
    await fixture.until(healthy, all('delivered'));
    expect((await fixture.deliveries(webhook)).map(({ attempts }) => attempts)).toEqual([1, 1, 1, 0, 0, 0]);
    expect(receiver.received).toHaveLength(3);
    // A new process reads the open breaker from the database.
    await fixture.stopEngines();
    await fixture.publish(fixture.engine({ breaker }), tenant, ['user.deleted']);
    await fixture.until(healthy, (rows) => rows.length === 2 && all('delivered')(rows));
    // A change of the webhook resets its breaker.
    receiver.status(200);
    await fixture.directory.rows('update webhooks set updated_at = now() where id = $1', [webhook]);
    await fixture.until(webhook, (rows) => rows.filter(({ status }) => status === 'delivered').length >= 4);
    await other.close();
  });
});

describe('the lease of a delivery', () => {
  it('is taken over after its expiry; the lost attempt is recorded as unknown and its late result is ignored', async () => {
    const webhook = await fixture.webhook(tenant, receiver.url);
    const sent: ((result: SendResult) => void)[] = [];
    const stuck: Sender = {
      send: () => new Promise((resolve) => sent.push(resolve)),
      close: async () => undefined,
    };
    const lost = fixture.engine({ leaseMs: 400, exchangeMs: 100 }, { sender: stuck });
    await fixture.publish(lost, tenant, ['user.created']);
    await until(() => sent.length > 0);
    fixture.engine();
    const [row] = await fixture.until(webhook, all('delivered'));
    for (const resolve of sent) resolve({ outcome: 'rejected', statusCode: 500, durationMs: 1 });
    await fixture.stopEngines();
    expect(await fixture.deliveries(webhook)).toEqual([expect.objectContaining({ status: 'delivered', attempts: 1 })]);
    const attempts = await fixture.attempts(row?.id ?? '');
    expect(attempts.at(-1)).toMatchObject({ outcome: 'delivered', statusCode: 204 });
    expect(attempts.slice(0, -1).map(({ outcome }) => outcome)).toEqual(attempts.slice(0, -1).map(() => 'unknown'));
    expect(attempts.length).toBeGreaterThan(1);
    expect(
      await fixture.directory.rows(
        'select outcome, sum(attempts)::int as count from webhook_hours where webhook_id = $1 group by outcome order by outcome',
        [webhook],
      ),
    ).toEqual([
      { outcome: 'delivered', count: 1 },
      { outcome: 'unknown', count: attempts.length - 1 },
    ]);
  });

  it('is claimed once, with any number of processes', async () => {
    const webhook = await fixture.webhook(tenant, receiver.url);
    const engines = [fixture.engine(), fixture.engine(), fixture.engine()];
    await fixture.insertEvents(tenant, Array(300).fill('user.created'));
    const found = await fixture.fanOut(tenant);
    for (const engine of engines) engine.wake(found);
    await fixture.until(webhook, all('delivered'));
    expect(new Set(receiver.ids()).size).toBe(300);
    expect(receiver.received).toHaveLength(300);
  });

  it('is claimed without a message, also for events committed while no dispatcher ran', async () => {
    const webhook = await fixture.webhook(tenant, receiver.url);
    await fixture.insertEvents(tenant, ['user.created', 'user.updated']);
    await fixture.fanOut(tenant);
    fixture.engine();
    await fixture.until(webhook, all('delivered'));
  });
});

describe('an event that is fanned out alone', () => {
  const fanOutWith = (engine: DeliveryEngine) =>
    engine.sendNew((claimNew) => fanOutPart(fixture.database, tenant, claimNew));

  it('is claimed in the transaction of its fan-out, and sent after the commit', async () => {
    const webhook = await fixture.webhook(tenant, receiver.url);
    // Without polls, nothing else sends it.
    const engine = fixture.engine({}, { polls: false });
    await fixture.insertEvents(tenant, ['user.created', 'user.updated']);
    await fanOutWith(engine);
    const rows = await fixture.until(webhook, all('delivered'));
    expect(rows.map(({ sequence, tries }) => [sequence, tries])).toEqual([
      [1, 1],
      [2, 1],
    ]);
    await fixture.insertEvents(tenant, ['user.deleted']);
    await fanOutWith(engine);
    await fixture.until(webhook, (all) => all.length === 3 && all.every(({ status }) => status === 'delivered'));
    expect(receiver.received).toHaveLength(3);
  });

  it('is not sent if the transaction fails, but by the next one', async () => {
    const webhook = await fixture.webhook(tenant, receiver.url);
    const engine = fixture.engine({}, { polls: false });
    await fixture.insertEvents(tenant, ['user.created']);
    const failing = engine.sendNew((claimNew) =>
      fanOutPart(fixture.database, tenant, async (tx, ...rest) => {
        await claimNew(tx, ...rest);
        await tx.query('select 1 / 0');
      }),
    );
    await expect(failing).rejects.toThrow('division by zero');
    expect(await fixture.deliveries(webhook)).toEqual([]);
    await fanOutWith(engine);
    await fixture.until(webhook, all('delivered'));
    expect(receiver.received).toHaveLength(1);
  });

  it.each([
    [
      'an endpoint has waited longer',
      async (engine: DeliveryEngine) => {
        const other = await fixture.webhook(tenant, receiver.url, ['group.*']);
        engine.wake(new Map([[other, { tenantId: tenant, sequence: 1 }]]));
      },
    ],
    [
      'many come together',
      async () => {
        await fixture.insertEvents(tenant, Array(16).fill('user.created'));
      },
    ],
  ])('waits for the claims of all endpoints if %s', async (_, prepare) => {
    const webhook = await fixture.webhook(tenant, receiver.url);
    const engine = fixture.engine({}, { polls: false });
    await prepare(engine);
    await fixture.insertEvents(tenant, ['user.created']);
    await fanOutWith(engine);
    expect((await fixture.deliveries(webhook)).map(({ tries }) => tries)).not.toContain(1);
    engine.start();
    await fixture.until(webhook, all('delivered'));
  });

  it('is not claimed twice if two are fanned out at the same time', async () => {
    const webhook = await fixture.webhook(tenant, receiver.url);
    const other = await fixture.tenant();
    const webhookOfOther = await fixture.webhook(other, receiver.url);
    const engine = fixture.engine();
    for (let n = 0; n < 20; n += 1) {
      await Promise.all(
        [tenant, other].map(async (id) => {
          await fixture.insertEvents(id, ['user.created']);
          await engine.sendNew((claimNew) => fanOutPart(fixture.database, id, claimNew));
        }),
      );
    }
    for (const id of [webhook, webhookOfOther]) {
      const rows = await fixture.until(id, (rows) => rows.length === 20 && all('delivered')(rows));
      expect(rows.map(({ tries }) => tries)).toEqual(Array(20).fill(1));
    }
    expect(receiver.received).toHaveLength(40);
  });
});

describe('the delivery to a webhook', () => {
  it('waits while the webhook is inactive and is dropped after its deletion', async () => {
    const paused = await fixture.webhook(tenant, receiver.url);
    const deleted = await fixture.webhook(tenant, receiver.url);
    const engine = fixture.engine();
    await fixture.insertEvents(tenant, ['user.created']);
    const found = await fixture.fanOut(tenant);
    await fixture.directory.rows('update webhooks set active = false where id = $1', [paused]);
    await fixture.directory.rows('delete from webhooks where id = $1', [deleted]);
    engine.wake(found);
    const other = await fixture.webhook(tenant, receiver.url);
    await fixture.publish(engine, tenant, ['user.updated']);
    await fixture.until(other, all('delivered'));
    expect(receiver.received).toHaveLength(1);
    await fixture.directory.rows('update webhooks set active = true, updated_at = now() where id = $1', [paused]);
    await fixture.until(paused, all('delivered'));
    expect(await fixture.deliveries(deleted)).toMatchObject([{ status: 'pending', tries: 0 }]);
  });

  it('is rendered again if an erasure deleted its body', async () => {
    const webhook = await fixture.webhook(tenant, receiver.url);
    await fixture.insertEvents(tenant, ['user.created']);
    const found = await fixture.fanOut(tenant);
    await fixture.directory.rows('delete from event_payloads where tenant_id = $1', [tenant]);
    fixture.engine().wake(found);
    await fixture.until(webhook, all('delivered'));
    expect(JSON.parse(receiver.received[0]?.body ?? '')).toMatchObject({ type: 'user.created', data: { changed: [] } });
  });

  it('is signed with the secrets that can be decrypted, and waits without a failure if there are none', async () => {
    const webhook = await fixture.webhook(tenant, receiver.url);
    await fixture.directory.rows(`update webhook_secrets set ciphertext = '\\x00' where webhook_id = $1`, [webhook]);
    const engine = fixture.engine({ unsignedPauseMs: 50 });
    await fixture.publish(engine, tenant, ['user.created']);
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
    `select w.active, e.disabled_reason as reason
       from webhooks w left join webhook_endpoints e on e.tenant_id = w.tenant_id and e.webhook_id = w.id
      where w.id = $1`,
    [webhook],
  );
  return row;
}

describe('a tenant whose writes fail in PostgreSQL', () => {
  it('does not delay other tenants, and its attempts are recorded once writes succeed', async () => {
    const other = await fixture.tenant();
    const refused = await fixture.webhook(tenant, receiver.url);
    const accepted = await fixture.webhook(other, receiver.url);
    await fixture.directory.rows(`
      create function refuse() returns trigger language plpgsql as $$ begin raise exception 'refused'; end $$;
      create trigger refuse before update on webhook_deliveries
        for each row when (new.status = 'delivered' and new.tenant_id = '${tenant}') execute function refuse()`);
    const engine = fixture.engine();
    try {
      await fixture.publish(engine, tenant, ['user.created']);
      await fixture.publish(engine, other, ['user.created']);
      await fixture.until(accepted, all('delivered'));
      expect((await fixture.deliveries(refused)).map(({ status }) => status)).toEqual(['pending']);
    } finally {
      await fixture.directory.rows('drop function refuse cascade');
    }
    const [row] = await fixture.until(refused, all('delivered'));
    expect(row).toMatchObject({ attempts: 1, tries: 1 });
  });
});

describe('the results of attempts', () => {
  it('are given up at a shutdown while the database accepts none, with an error that counts them', async () => {
    await fixture.directory.rows('alter table webhook_deliveries rename to unavailable');
    const settings = { ...defaultSettings, gatherMs: 1, retryMs: 10 };
    const recorder = new AttemptRecorder(fixture.database, settings, silentLogger);
    recorder.add({
      deliveryId: newUuid(),
      webhookId: newUuid(),
      tenantId: newUuid(),
      number: 1,
      outcome: 'delivered',
      durationMs: 1,
      endedAt: new Date(),
      status: 'delivered',
      counts: true,
      trips: 0,
    });
    await expect(recorder.stop()).rejects.toThrow('the results of 1 attempts could not be written');
    await fixture.directory.rows('alter table unavailable rename to webhook_deliveries');
  });
});
