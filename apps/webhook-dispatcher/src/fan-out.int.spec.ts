import { encodeId, newUuid } from '@idsync/contracts';
import type { Database } from '@idsync/database';
import { listenToEvents, recordEvents } from '@idsync/database/bus';
import { silentLogger } from '@idsync/runtime';
import { type DirectoryFixture, ServiceDatabase, until } from '@idsync/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { DeliveryEngine } from './delivery/delivery-engine.service.js';
import { type FannedOut, fanOutPart } from './fan-out.js';
import { FanOutRunner } from './fan-out-runner.service.js';

let own: ServiceDatabase;
let database: Database;
let fixture: DirectoryFixture;
let tenant: string;

beforeAll(async () => {
  own = await ServiceDatabase.start('webhook-dispatcher');
  ({ database, fixture } = own);
});

beforeEach(async () => {
  tenant = await fixture.tenant();
});

afterAll(async () => {
  await own?.close();
});

async function webhook(events: string[], active = true, owner = tenant): Promise<string> {
  const id = newUuid();
  await fixture.rows('insert into webhooks (id, tenant_id, callback_url, events, active) values ($1, $2, $3, $4, $5)', [
    id,
    owner,
    'https://receiver.example/hook',
    events,
    active,
  ]);
  return id;
}

/** Inserts events of these types, `times` over. */
async function insertEvents(types: string[], times = 1): Promise<void> {
  await fixture.rows(
    `with sequence as (
       update event_sequences set last = last + $3 * cardinality($2::text[]) where tenant_id = $1 returning last)
     insert into events (tenant_id, sequence, id, type, occurred_at, details)
     select $1, last - (round - 1) * cardinality($2::text[]) - cardinality($2::text[]) + place, gen_random_uuid(), type, now(), '{}'
       from sequence, generate_series(1, $3::integer) round, unnest($2::text[]) with ordinality as e (type, place)`,
    [tenant, types, times],
  );
}

async function moveSequence(last: number): Promise<void> {
  await fixture.rows('update event_sequences set last = $2 where tenant_id = $1', [tenant, last]);
}

/** Fans out all pending events. */
async function fanOut(): Promise<FannedOut> {
  const all: FannedOut = new Map();
  for (let more = true; more; ) {
    const part = await fanOutPart(database, tenant);
    for (const [id, first] of part.found) if (!all.has(id)) all.set(id, first);
    more = part.more;
  }
  return all;
}

async function deliveriesOf(webhookId: string): Promise<number[]> {
  const rows = await fixture.rows<{ sequence: number }>(
    'select event_sequence::int as sequence from webhook_deliveries where webhook_id = $1 and tenant_id = $2 order by 1',
    [webhookId, tenant],
  );
  return rows.map((row) => row.sequence);
}

describe('fanning out events', () => {
  it('creates a delivery of each event for each webhook whose filter matches', async () => {
    const everything = await webhook(['*']);
    const people = await webhook(['identity.*', 'user.created']);
    const jobs = await webhook(['sync.*']);
    await insertEvents(['identity.created', 'user.created', 'user.updated', 'sync.job.completed', 'identity.updated']);
    const found = await fanOut();
    expect([...found].map(([id, { sequence }]) => [id, sequence])).toEqual(
      expect.arrayContaining([
        [everything, 1],
        [people, 1],
        [jobs, 4],
      ]),
    );
    expect(await deliveriesOf(everything)).toEqual([1, 2, 3, 4, 5]);
    expect(await deliveriesOf(people)).toEqual([1, 2, 5]);
    expect(await deliveriesOf(jobs)).toEqual([4]);
  });

  it('creates no delivery twice, despite repeated and concurrent calls', async () => {
    const id = await webhook(['*']);
    await insertEvents(['user.created', 'user.updated', 'user.deleted']);
    await fanOut();
    await insertEvents(['user.created'], 2_000);
    const made = await Promise.all([fanOut(), fanOut(), fanOut()]);
    expect(made.filter((each) => each.size > 0).length).toBeGreaterThan(0);
    expect(await deliveriesOf(id)).toEqual(Array.from({ length: 2_003 }, (_, n) => n + 1));
    const parts = await fixture.rows('select from fan_out_positions where tenant_id = $1 and sequence = 2003', [
      tenant,
    ]);
    expect(parts).toHaveLength(1);
  });

  it('does not wait for a process that fans out events of the tenant', async () => {
    const id = await webhook(['*']);
    await insertEvents(['user.created']);
    await fanOut();
    await insertEvents(['user.updated']);
    await database.transaction(tenant, async (tx) => {
      await tx.query('select from fan_out_positions where tenant_id = $1 for update', [tenant]);
      expect(await fanOutPart(database, tenant)).toEqual({ found: new Map(), reached: 0, more: false });
    });
    await fanOut();
    expect(await deliveriesOf(id)).toEqual([1, 2]);
  });

  it('skips inactive webhooks and webhooks of other tenants', async () => {
    const inactive = await webhook(['*'], false);
    const foreign = await webhook(['*'], true, await fixture.tenant());
    await insertEvents(['user.created']);
    expect((await fanOut()).size).toBe(0);
    expect(await deliveriesOf(inactive)).toEqual([]);
    expect(await deliveriesOf(foreign)).toEqual([]);
  });

  it('processes a large batch of events in chunks, with UUIDv7 ids', async () => {
    const started = Date.now();
    const id = await webhook(['user.*']);
    await insertEvents(['identity.created', 'user.created', 'lifecycle.joiner'], 10_000);
    await fanOut();
    const ids = await fixture.rows<{ id: string }>('select id from webhook_deliveries where webhook_id = $1', [id]);
    expect(ids).toHaveLength(10_000);
    const pattern = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
    expect(ids.filter((row) => !pattern.test(row.id))).toEqual([]);
    const made = Number.parseInt((ids[0]?.id ?? '').replaceAll('-', '').slice(0, 12), 16);
    // Ids only grow within a process, also after one that another test made for a later time of the day.
    expect(made).toBeGreaterThanOrEqual(started);
    expect(made - started).toBeLessThan(86_400_000);
  });

  it('stores the exact body that is sent, with the resource as the API shows it', async () => {
    const webhookId = await webhook(['identity.*']);
    const identity = newUuid();
    await fixture.rows(
      `insert into identities (id, tenant_id, status, created_at, updated_at, document)
       values ($1, $2, 'active', now(), now(), '{"id":"idn_x","display_name":"Ann"}')`,
      [identity, tenant],
    );
    await fixture.rows(
      `insert into events (tenant_id, sequence, id, type, occurred_at, identity_id, subject_id, details)
       values ($1, 1, $2, 'identity.updated', '2026-01-31T12:00:00.5Z', $3, $3,
               '{"changes":[{"field":"email","from":"a@x.org","source":"con_1"},{"field":"email"},{"field":"title","to":["Lead","Chair"]}],
                 "values_left_out":true,"job_id":"job_y"}')`,
      [tenant, newUuid(), identity],
    );
    await moveSequence(1);
    await fanOut();
    const [payload] = await fixture.rows<{ body: string }>('select body from event_payloads where tenant_id = $1', [
      tenant,
    ]);
    expect(await deliveriesOf(webhookId)).toEqual([1]);
    expect(JSON.parse(payload?.body ?? '')).toEqual({
      id: expect.stringMatching(/^evt_/),
      type: 'identity.updated',
      timestamp: '2026-01-31T12:00:00.500Z',
      tenant_id: expect.stringMatching(/^ten_/),
      sequence: 1,
      data: {
        id: 'idn_x',
        display_name: 'Ann',
        job_id: 'job_y',
        changes: [{ field: 'email', from: 'a@x.org' }, { field: 'email' }, { field: 'title', to: ['Lead', 'Chair'] }],
        values_left_out: true,
        changed: ['email', 'title'],
      },
    });
  });

  it('reports a deleted identity by its own id, whichever record caused the event', async () => {
    await webhook(['*']);
    const identity = newUuid();
    await fixture.rows(
      `insert into events (tenant_id, sequence, id, type, occurred_at, identity_id, subject_id, details)
       values ($1, 1, $2, 'lifecycle.mover', now(), $3, $4, '{}')`,
      [tenant, newUuid(), identity, newUuid()],
    );
    await moveSequence(1);
    await fanOut();
    const [payload] = await fixture.rows<{ body: string }>('select body from event_payloads where tenant_id = $1', [
      tenant,
    ]);
    expect(JSON.parse(payload?.body ?? '').data).toEqual({ id: encodeId('identity', identity), changed: [] });
  });

  it('delivers to a webhook with a filter only the events whose body matches', async () => {
    const filter = {
      and: [
        { field: 'type', prefix: 'sync.job.' },
        { field: 'data.connector_id', equals: 'con_1' },
      ],
    };
    const [filtered, all] = [await webhook(['*']), await webhook(['*'])];
    await fixture.rows('update webhooks set filter = $2 where id = $1', [filtered, JSON.stringify(filter)]);
    await fixture.rows(
      `insert into events (tenant_id, sequence, id, type, occurred_at, details)
       select $1, place, gen_random_uuid(), type, now(), jsonb_build_object('connector_id', connector)
         from unnest(array['sync.job.started', 'sync.job.started', 'user.created'], array['con_1', 'con_2', 'con_1'])
              with ordinality as e (type, connector, place)`,
      [tenant],
    );
    await moveSequence(3);
    await fanOut();
    expect(await deliveriesOf(all)).toEqual([1, 2, 3]);
    expect(await deliveriesOf(filtered)).toEqual([1]);
  });

  it('delivers a test event only to the webhook under test, regardless of its filter', async () => {
    const tested = await webhook(['user.deleted']);
    await webhook(['*']);
    await fixture.rows(
      `insert into events (tenant_id, sequence, id, type, occurred_at, subject_id, details)
       values ($1, 1, $2, 'webhook.test', now(), $3, '{"message":"hello"}')`,
      [tenant, newUuid(), tested],
    );
    await moveSequence(1);
    const found = await fanOut();
    expect([...found.keys()]).toEqual([tested]);
  });
});

it('writes nothing for a tenant that does not exist or is being deleted', async () => {
  const absent = newUuid();
  await fixture.rows('insert into tenant_deletions (tenant_id) values ($1)', [tenant]);
  for (const id of [absent, tenant]) {
    expect(await fanOutPart(database, id)).toMatchObject({ reached: 0, more: false });
  }
  expect(await fixture.rows('select from fan_out_positions where tenant_id = any($1)', [[absent, tenant]])).toEqual([]);
});

describe('the fan-out runner', () => {
  const warnings: unknown[] = [];
  let runner: FanOutRunner;
  let newRunner: (reading: Database) => FanOutRunner;
  let made: [string, number][];

  beforeEach(() => {
    made = [];
    warnings.length = 0;
    const sendNew: DeliveryEngine['sendNew'] = async (fanOutNext) => {
      const result = await fanOutNext(async () => {});
      made.push(...[...result.found].map(([id, { sequence }]): [string, number] => [id, sequence]));
      return result;
    };
    newRunner = (reading) =>
      new FanOutRunner(
        reading,
        { sendNew },
        { listenToEvents: (...listeners) => listenToEvents(database, ...listeners) },
        { ...silentLogger, warn: (fields: object | string) => warnings.push(fields) },
      );
    runner = newRunner(database);
  });

  afterEach(async () => {
    await runner.stop();
  });

  async function untilDeliveries(id: string, count: number): Promise<void> {
    await until(async () => (await deliveriesOf(id)).length >= count, `${count} deliveries`);
    expect(await deliveriesOf(id)).toHaveLength(count);
  }

  it('combines notifications that arrive in quick succession', async () => {
    const id = await webhook(['*']);
    await insertEvents(['user.created'], 300);
    for (let last = 1; last <= 300; last += 1) runner.wake(tenant, last);
    await untilDeliveries(id, 300);
    await runner.stop();
    // One chunk for the first notification, one for all that came meanwhile.
    expect(made).toEqual([[id, 1]]);
  });

  it('is notified when events are committed', async () => {
    const id = await webhook(['*']);
    let polls = 0;
    let listens = () => {};
    const listening = new Promise<void>((resolve) => {
      listens = resolve;
    });
    // Finds nothing by polling. The second poll is that of the beginning of listening.
    const acrossTenants = async () => {
      polls += 1;
      if (polls === 2) listens();
      return [];
    };
    const notified = newRunner(Object.create(database, { acrossTenants: { value: acrossTenants } }));
    notified.start();
    await listening;
    await database.transaction(tenant, (tx) =>
      recordEvents(tx, [{ type: 'webhook.test', subjectId: id, details: {} }]),
    );
    await untilDeliveries(id, 1);
    await notified.stop();
  });

  it('finds new events without a notification', async () => {
    const id = await webhook(['*']);
    await insertEvents(['user.created'], 1_200);
    runner.start();
    await untilDeliveries(id, 1_200);
  });

  it('continues with other tenants when one fails', async () => {
    const id = await webhook(['*']);
    await insertEvents(['user.created'], 3);
    const broken = tenant;
    const webhookOfBroken = id;
    tenant = await fixture.tenant();
    const other = await webhook(['*']);
    await insertEvents(['user.created'], 3);
    // Writes for the first tenant fail.
    await fixture.rows(`
      create function refuse() returns trigger language plpgsql as $$ begin raise 'refused'; end $$;
      create trigger refuse before insert on webhook_deliveries for each row when (new.tenant_id = '${broken}') execute function refuse()`);
    runner.start();
    await untilDeliveries(other, 3);
    await until(() => warnings.length > 0);
    await fixture.rows('drop trigger refuse on webhook_deliveries; drop function refuse');
    tenant = broken;
    await untilDeliveries(webhookOfBroken, 3);
    expect(warnings).toContainEqual({ tenant_id: broken, err: expect.any(Error) });
  });
});
