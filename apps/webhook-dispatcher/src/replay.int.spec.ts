import { newUuid, type ReplayFilter, type ReplayKind } from '@idsync/contracts';
import {
  cancelReplay,
  deleteOldDeliveries,
  deleteOldEndpoints,
  deleteOldHours,
  requeueDeadDeliveries,
} from '@idsync/database/delivery';
import { until } from '@idsync/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { all, DispatcherFixture } from '../test/dispatcher-fixture.js';
import { Receiver } from '../test/receiver.js';
import type { DeliveryEngine } from './delivery/delivery-engine.service.js';
import { replayPart } from './replay.js';

let fixture: DispatcherFixture;
let receiver: Receiver;
let tenant: string;
let webhook: string;

beforeAll(async () => {
  fixture = await DispatcherFixture.start();
});

beforeEach(async () => {
  receiver = await Receiver.start();
  tenant = await fixture.tenant();
  webhook = await fixture.webhook(tenant, receiver.url, ['user.*']);
});

afterEach(async () => {
  await fixture.stopEngines();
  await receiver.close();
});

afterAll(async () => {
  await fixture?.close();
});

async function requested(kind: ReplayKind, filter: ReplayFilter = {}): Promise<string> {
  const id = newUuid();
  await fixture.directory.rows(
    `insert into webhook_replays (id, tenant_id, webhook_id, kind, filter, requested_by) values ($1, $2, $3, $4, $5, 'me')`,
    [id, tenant, webhook, kind, JSON.stringify(filter)],
  );
  return id;
}

async function replay(id: string) {
  const [row] = await fixture.directory.rows<{ status: string; total: number; looked: number; done: number }>(
    `select status, total::int, looked_at::int as looked, done::int from webhook_replays where id = $1`,
    [id],
  );
  return row;
}

/** Processes a replay chunk by chunk, as the bus does. */
async function run(id: string): Promise<number> {
  for (let parts = 0; ; parts += 1) {
    const row = await replay(id);
    if (row?.status === 'done' || row?.status === 'cancelled') return parts;
    await replayPart(fixture.database, { id: newUuid(), tenant_id: tenant, data: { replay_id: id } });
  }
}

const sequences = () => receiver.received.map(({ body }) => JSON.parse(body).sequence);

describe('a replay of deliveries', () => {
  it('resends one delivery with the same id and no other', async () => {
    const engine = fixture.engine();
    await fixture.publish(engine, tenant, ['user.created', 'user.updated']);
    const [first] = await fixture.until(webhook, all('delivered'));
    const resent = await requested('resend', { delivery_id: first?.id ?? '' });
    await run(resent);
    expect(await replay(resent)).toEqual({ status: 'done', total: 1, looked: 1, done: 1 });
    const rows = await fixture.until(webhook, (list) => all('delivered')(list) && list[0]?.tries === 2);
    expect(rows.map(({ tries, attempts }) => [tries, attempts])).toEqual([
      [2, 1],
      [1, 1],
    ]);
    expect(sequences().sort()).toEqual([1, 1, 2]);
    expect(new Set(receiver.ids()).size).toBe(2);
  });

  it('requeues only dead deliveries', async () => {
    receiver.status(500);
    const engine = fixture.engine({ retryDelays: [] });
    await fixture.publish(engine, tenant, ['user.created', 'user.updated']);
    await fixture.until(webhook, all('dead'));
    receiver.status(200);
    await fixture.publish(engine, tenant, ['user.deleted']);
    const id = await requested('requeue');
    await run(id);
    const rows = await fixture.until(webhook, all('delivered'));
    expect(rows.map(({ tries }) => tries)).toEqual([2, 2, 1]);
    expect(await replay(id)).toMatchObject({ status: 'done', total: 2, looked: 2, done: 2 });
  });

  it('sends events of a time window and type filter again, including those never sent before', async () => {
    await fixture.insertEvents(tenant, [
      'user.created',
      'identity.created',
      'user.updated',
      'user.created',
      'webhook.test',
    ]);
    const days = `update events set occurred_at = timestamptz '2026-01-01' + sequence * interval '1 day' where tenant_id = $1`;
    await fixture.directory.rows(days, [tenant]);
    fixture.engine();
    // The events 2, 3 and 4 occurred from the 3rd to the 5th of January; the end of the window is exclusive.
    const filter = { since: '2026-01-03T00:00:00Z', until: '2026-01-06T00:00:00Z', events: ['user.created'] };
    const id = await requested('replay', filter);
    await run(id);
    await fixture.until(webhook, all('delivered'));
    expect(sequences()).toEqual([4]);
    expect(await replay(id)).toMatchObject({ status: 'done', total: 4, looked: 4, done: 1 });
    await run(await requested('replay'));
    await fixture.until(webhook, (rows) => rows.length === 3 && all('delivered')(rows));
    expect(sequences().sort()).toEqual([1, 3, 4, 4]);
    const bounds = { since: '2026-01-02T00:00:00Z', until: '2026-01-05T00:00:00Z', events: ['user.created'] };
    const exact = await requested('replay', bounds);
    await run(exact);
    expect(await replay(exact)).toMatchObject({ done: 1 });
  });

  it('sends only events that match the filter of the webhook, in its form of payload', async () => {
    await fixture.insertEvents(tenant, ['sync.job.started'], { connector_id: 'con_1', note: 'first' });
    await fixture.insertEvents(tenant, ['sync.job.started'], { connector_id: 'con_2' });
    const filter = JSON.stringify({ field: 'data.connector_id', equals: 'con_1' });
    await fixture.directory.rows(`update webhooks set events = '{*}', filter = $2, payload = 'thin' where id = $1`, [
      webhook,
      filter,
    ]);
    fixture.engine();
    await run(await requested('replay'));
    await fixture.until(webhook, all('delivered'));
    expect(sequences()).toEqual([1]);
    expect(JSON.parse(receiver.received[0]?.body ?? '').data).toEqual({ connector_id: 'con_1' });
  });

  it('sends nothing if no event matches, and finds an event that occurred soon after the window begins', async () => {
    await fixture.insertEvents(tenant, ['user.created']);
    const none = await requested('replay', { events: ['user.deleted'] });
    const recent = await requested('replay', { since: new Date(Date.now() - 5 * 60_000).toISOString() });
    for (const id of [none, recent]) await run(id);
    expect([await replay(none), await replay(recent)]).toMatchObject([{ done: 0 }, { done: 1 }]);
  });

  it('leaves out deliveries with an attempt in flight, and dead ones that are newer than the request', async () => {
    await fixture.insertEvents(tenant, ['user.created', 'user.updated']);
    await run(await requested('replay'));
    const [first] = await fixture.deliveries(webhook);
    const set = (columns: string) =>
      fixture.directory.rows(`update webhook_deliveries set ${columns} where webhook_id = $1`, [webhook]);
    await set(`lease_until = now() + interval '1 hour'`);
    const done = async (kind: ReplayKind, filter: ReplayFilter = {}) => {
      const id = await requested(kind, filter);
      await run(id);
      return (await replay(id))?.done;
    };
    const resent = { delivery_id: first?.id ?? '' };
    expect([await done('replay'), await done('resend', resent)]).toEqual([0, 0]);
    await set(`lease_until = now() - interval '1 second'`);
    expect([await done('replay'), await done('resend', resent)]).toEqual([2, 1]);
    await set(`status = 'dead', lease_until = null`);
    const open = { tenantId: tenant, webhookId: webhook, position: 0, untilSequence: 1 };
    const requeued = fixture.database.transaction(tenant, (tx) =>
      requeueDeadDeliveries(tx, open as Parameters<typeof requeueDeadDeliveries>[1], 10),
    );
    expect(await requeued).toEqual([1]);
    await set(`status = 'dead'`);
    const beyond = { ...open, position: 1, untilSequence: 2 };
    const further = fixture.database.transaction(tenant, (tx) =>
      requeueDeadDeliveries(tx, beyond as Parameters<typeof requeueDeadDeliveries>[1], 10),
    );
    expect(await further).toEqual([2]);
  });

  it('requeues dead deliveries in chunks, also if the last one is full', async () => {
    await fixture.insertEvents(tenant, Array(1_000).fill('user.created'));
    await run(await requested('replay'));
    await fixture.directory.rows(`update webhook_deliveries set status = 'dead' where webhook_id = $1`, [webhook]);
    const id = await requested('requeue');
    await run(id);
    expect(await replay(id)).toEqual({ status: 'done', total: 1_000, looked: 1_000, done: 1_000 });
  });

  it('continues if another one is cancelled', async () => {
    const [one, other] = [await requested('replay'), await requested('replay')];
    await fixture.database.transaction(tenant, (tx) => cancelReplay(tx, one));
    expect([await replay(one), await replay(other)]).toMatchObject([{ status: 'cancelled' }, { status: 'queued' }]);
  });

  it('runs in chunks that tolerate duplicate messages', async () => {
    await fixture.insertEvents(tenant, Array(1_234).fill('user.created'));
    const id = await requested('replay');
    const message = { id: newUuid(), tenant_id: tenant, data: { replay_id: id } };
    await Promise.all([replayPart(fixture.database, message), replayPart(fixture.database, message)]);
    expect(await replay(id)).toEqual({ status: 'running', total: 1_234, looked: 500, done: 500 });
    expect(await run(id)).toBe(2);
    expect(await replay(id)).toEqual({ status: 'done', total: 1_234, looked: 1_234, done: 1_234 });
    expect(await fixture.deliveries(webhook)).toHaveLength(1_234);
  });

  it('fails to be retried while its row is not visible', async () => {
    const early = replayPart(fixture.database, { id: newUuid(), tenant_id: tenant, data: { replay_id: newUuid() } });
    await expect(early).rejects.toThrow('the replay of the message is not visible yet');
  });

  it('stops once it is cancelled or its webhook is deleted', async () => {
    await fixture.insertEvents(tenant, Array(600).fill('user.created'));
    const cancelled = await requested('replay');
    await replayPart(fixture.database, { id: newUuid(), tenant_id: tenant, data: { replay_id: cancelled } });
    await fixture.database.transaction(tenant, (tx) => cancelReplay(tx, cancelled));
    await replayPart(fixture.database, { id: newUuid(), tenant_id: tenant, data: { replay_id: cancelled } });
    expect(await replay(cancelled)).toMatchObject({ status: 'cancelled', looked: 500 });
    const orphaned = await requested('replay');
    await fixture.directory.rows('delete from webhooks where id = $1', [webhook]);
    await run(orphaned);
    expect(await replay(orphaned)).toMatchObject({ status: 'cancelled', done: 0 });
  });
});

describe('an endpoint whose breaker is open', () => {
  const breaker = { threshold: 2, firstPauseMs: 3_600_000, longestPauseMs: 3_600_000 };

  /** Opens the breaker while retries and later events wait. Two engines know that it is open. */
  async function broken(): Promise<DeliveryEngine> {
    receiver.status(503);
    const engine = fixture.engine({ breaker, retryDelays: [1, 1, 1] });
    await fixture.publish(engine, tenant, ['user.created', 'user.updated']);
    await until(async () => (await endpoint())?.open === true);
    fixture.engine({ breaker });
    await fixture.publish(engine, tenant, ['user.deleted', 'user.created']);
    expect((await fixture.deliveries(webhook)).map(({ tries }) => tries > 0)).toEqual([true, true, false, false]);
    return engine;
  }
  const endpoint = async () => {
    const sql = 'select open_until > now() as open, trips from webhook_endpoints where webhook_id = $1';
    return (await fixture.directory.rows<{ open: boolean; trips: number }>(sql, [webhook]))[0];
  };

  async function testOf(engine: DeliveryEngine): Promise<void> {
    await fixture.insertEvents(tenant, ['webhook.test']);
    const sql = `update events set subject_id = $2 where tenant_id = $1 and type = 'webhook.test'`;
    await fixture.directory.rows(sql, [tenant, webhook]);
    engine.wake(await fixture.fanOut(tenant));
  }

  it('is probed at once by a delivery that is sent again, and recovers', async () => {
    await broken();
    receiver.status(200);
    const before = receiver.received.length;
    const wanted = (await fixture.deliveries(webhook)).at(-1);
    await run(await requested('resend', { delivery_id: wanted?.id ?? '' }));
    await fixture.until(webhook, all('delivered'));
    expect(sequences()[before]).toBe(wanted?.sequence);
    expect(await endpoint()).toEqual({ open: null, trips: 0 });
  });

  it('is probed at once by a test of one engine, before what waits, and pauses longer if it still fails', async () => {
    const engine = await broken();
    const before = receiver.received.length;
    await testOf(engine);
    await until(async () => (await endpoint())?.trips === 2);
    expect(sequences().slice(before)).toEqual([5]);
    expect(await endpoint()).toEqual({ open: true, trips: 2 });
  });

  it('is probed by a test also within a delay that its receiver requested', async () => {
    receiver.status(503, { 'retry-after': '3600' });
    const engine = fixture.engine();
    await fixture.publish(engine, tenant, ['user.created']);
    await fixture.until(webhook, (rows) => rows[0]?.attempts === 1);
    await until(async () => (await endpoint()) !== undefined);
    receiver.status(200);
    await testOf(engine);
    await fixture.until(webhook, (rows) => rows[1]?.status === 'delivered');
  });

  it('stays in its pause if all dead deliveries are requeued', async () => {
    await broken();
    const before = receiver.received.length;
    await run(await requested('requeue'));
    expect(await endpoint()).toEqual({ open: true, trips: 1 });
    expect(receiver.received.length).toBe(before);
  });
});

describe('housekeeping of the dispatcher', () => {
  it('deletes deliveries older than a month with their attempts and payloads, and endpoints without a webhook', async () => {
    await fixture.publish(fixture.engine(), tenant, ['user.created', 'user.updated']);
    const [old] = await fixture.until(webhook, all('delivered'));
    const oldId = '01800000-0000-7000-8000-000000000001';
    await fixture.directory.rows('update webhook_deliveries set id = $2 where id = $1', [old?.id, oldId]);
    await fixture.directory.rows('update webhook_attempts set delivery_id = $2 where delivery_id = $1', [
      old?.id,
      oldId,
    ]);
    const counts = () =>
      fixture.directory.rows(
        `select (select count(*)::int from webhook_deliveries where tenant_id = $1) as deliveries,
                (select count(*)::int from webhook_attempts where tenant_id = $1) as attempts,
                (select count(*)::int from event_payloads where tenant_id = $1) as payloads,
                (select count(*)::int from webhook_endpoints where tenant_id = $1) as endpoints`,
        [tenant],
      );
    expect(await counts()).toEqual([{ deliveries: 2, attempts: 2, payloads: 2, endpoints: 1 }]);
    expect(await deleteOldDeliveries(fixture.database, 100)).toBe(1);
    expect(await counts()).toEqual([{ deliveries: 1, attempts: 1, payloads: 1, endpoints: 1 }]);
    await fixture.directory.rows('delete from webhooks where id = $1', [webhook]);
    await deleteOldEndpoints(fixture.database, 100);
    expect(await counts()).toEqual([{ deliveries: 1, attempts: 1, payloads: 1, endpoints: 0 }]);
  });

  it('deletes counts of attempts that are no longer shown', async () => {
    await fixture.publish(fixture.engine(), tenant, ['user.created']);
    await fixture.until(webhook, all('delivered'));
    await fixture.directory.rows(
      `insert into webhook_hours select tenant_id, hour - interval '49 hours', webhook_id, outcome, attempts
         from webhook_hours where tenant_id = $1`,
      [tenant],
    );
    expect(await deleteOldHours(fixture.database, 100)).toBe(1);
    expect(
      await fixture.directory.rows(
        `select attempts::int, hour >= now() - interval '1 hour' as recent from webhook_hours where tenant_id = $1`,
        [tenant],
      ),
    ).toEqual([{ attempts: 1, recent: true }]);
  });
});
