import { type EventType, eventTypes, newUuid, volumeLimits } from '@idsync/contracts';
import { type DirectoryFixture, ServiceDatabase, uuidAt } from '@idsync/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { rowsFetched } from '../../../test/rows-fetched.js';
import { recordEvents } from '../../bus/record-events.js';
import { Database, type Transaction } from '../../database.js';
import { findEventBodies } from '../../delivery/event-bodies.js';
import { savePayloads } from '../../delivery/fan-out.js';
import { findActivity } from './activity.js';
import { findFeedPage } from './event-feed.js';
import { findHistory } from './history.js';
import { type EventFilter, findEvent, listEvents } from './list-events.js';

let own: ServiceDatabase;
let dispatcher: Database;
let fixture: DirectoryFixture;
let tenant: string;

beforeAll(async () => {
  own = await ServiceDatabase.start('gateway');
  fixture = own.fixture;
  dispatcher = await Database.connect({ url: own.url, service: 'webhook-dispatcher' });
});

beforeEach(async () => {
  tenant = await fixture.tenant();
});

afterAll(async () => {
  await dispatcher?.close();
  await own?.close();
});

describe('the event feed', () => {
  interface Body {
    type: string;
    sequence: number;
    data: Record<string, unknown>;
  }

  const record = (tx: Transaction, types: readonly EventType[], about: { identityId?: string } = {}) =>
    recordEvents(
      tx,
      types.map((type) => ({ type, occurredAt: new Date(), subjectId: about.identityId, ...about, details: {} })),
    );

  const happened = (types: readonly EventType[], about?: { identityId?: string }) =>
    own.database.transaction(tenant, (tx) => record(tx, types, about));

  async function read(after: number, { types, limit = 50 }: { types?: readonly string[]; limit?: number } = {}) {
    const page = await own.database.transaction(tenant, (tx) => findFeedPage(tx, { after, types, limit }));
    const events = page.bodies.map((body) => JSON.parse(body) as Body);
    return { ...page, events, sequences: events.map(({ sequence }) => sequence) };
  }

  /** Reads all events after a sequence, page by page, and returns the final position. */
  async function readOn(after: number, options: { types?: readonly string[]; limit?: number } = {}) {
    const events: Body[] = [];
    let nextAfter = after;
    for (let more = true; more; ) {
      const page = await read(nextAfter, options);
      events.push(...page.events);
      nextAfter = page.nextAfter;
      more = page.hasMore;
    }
    return { events, nextAfter };
  }

  const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

  describe('a feed', () => {
    it('ends a page at the size limit, and the next page continues there', async () => {
      await happened(upTo(12).map(() => 'identity.updated' as const));
      await fixture.rows(
        `insert into event_payloads (tenant_id, sequence, event_id, body)
         select tenant_id, sequence, id, json_build_object('sequence', sequence, 'filler', repeat('x', $2)) from events
          where tenant_id = $1`,
        [tenant, Math.floor(volumeLimits.pageBytes / 5)],
      );
      expect(await read(0)).toMatchObject({ sequences: [1, 2, 3, 4], nextAfter: 4, hasMore: true });
      expect(await read(0, { types: ['identity.*'] })).toMatchObject({
        sequences: [1, 2, 3, 4],
        nextAfter: 4,
        hasMore: true,
      });
      expect((await readOn(0)).events.map(({ sequence }) => sequence)).toEqual(upTo(12));
    });

    it('returns events by sequence, page by page, with the position of the next page', async () => {
      await happened(['user.created', 'user.updated', 'sync.job.completed']);
      await happened(['webhook.test', 'user.deleted']);
      expect(await read(0, { limit: 2 })).toMatchObject({ sequences: [1, 2], nextAfter: 2, hasMore: true });
      expect(await read(2, { limit: 3 })).toMatchObject({ sequences: [3, 4, 5], nextAfter: 5, hasMore: false });
      expect(await read(2, { limit: 50 })).toMatchObject({ sequences: [3, 4, 5], nextAfter: 5, hasMore: false });
      expect((await readOn(0)).events.map(({ type }) => type)).toContain('webhook.test');
    });

    it('keeps the position at the end, beyond it, and before the first event', async () => {
      expect(await read(0)).toMatchObject({ bodies: [], nextAfter: 0, hasMore: false });
      await happened(['user.created']);
      expect(await read(1)).toMatchObject({ bodies: [], nextAfter: 1, hasMore: false });
      expect(await read(999_999)).toMatchObject({ bodies: [], nextAfter: 999_999, hasMore: false });
    });

    it('returns no events of another tenant', async () => {
      await happened(['user.created']);
      const other = await fixture.tenant();
      const page = await own.database.transaction(other, (tx) => findFeedPage(tx, { after: 0, limit: 50 }));
      expect(page).toEqual({ bodies: [], nextAfter: 0, newest: 0, hasMore: false });
    });

    it.each([
      [['user.created'], (type: string) => type === 'user.created'],
      [['user.create'], () => false],
      [['machine_identity.*'], (type: string) => type.startsWith('machine_identity.')],
      [['machine.identity.*', 'machine_identity'], () => false],
      [['sync.*', 'lifecycle.joiner'], (type: string) => type.startsWith('sync.') || type === 'lifecycle.joiner'],
      [['*'], () => true],
    ])('with the types %j returns only these', async (types, wanted) => {
      await happened(eventTypes);
      const { events, nextAfter } = await readOn(0, { types, limit: 3 });
      expect(events.map(({ type }) => type)).toEqual(eventTypes.filter(wanted));
      expect(nextAfter).toBe(eventTypes.length);
    });

    it('does not treat an underscore in a type as a wildcard', async () => {
      await fixture.rows(
        `insert into events (tenant_id, sequence, id, type, occurred_at, details)
         values ($1, 1, gen_random_uuid(), 'machineXidentity.created', now(), '{}')`,
        [tenant],
      );
      await fixture.rows('update event_sequences set last = 1 where tenant_id = $1', [tenant]);
      expect((await read(0, { types: ['machine_identity.*'] })).bodies).toEqual([]);
      expect((await read(0)).bodies).toHaveLength(1);
    });

    it('examines a bounded number of events for a page, and returns the position it reached', async () => {
      await happened(Array.from({ length: 12_000 }, () => 'user.updated'));
      await happened(['user.deleted']);
      const pages = [];
      for (let at = 0, more = true; more; ) {
        const page = await read(at, { types: ['user.deleted'] });
        pages.push([page.sequences, page.hasMore]);
        [at, more] = [page.nextAfter, page.hasMore];
      }
      expect(pages).toEqual([
        [[], true],
        [[], true],
        [[12_001], false],
      ]);
    });
  });

  describe('an event in the feed', () => {
    const documentOf = (id: string, name: string) =>
      fixture.rows(
        `insert into identities (id, tenant_id, status, created_at, updated_at, document)
         values ($1, $2, 'active', now(), now(), $3) on conflict (tenant_id, id) do update set document = excluded.document`,
        [id, tenant, JSON.stringify({ id: 'idn_x', display_name: name })],
      );
    const send = () =>
      dispatcher.transaction(tenant, async (tx) => {
        const { bodies } = await findEventBodies(tx, { first: 1, last: 1 }, { limit: 1 });
        await savePayloads(tx, bodies);
        return bodies.map(({ body }) => body);
      });

    it('has exactly the text that webhooks received, even after the resource has changed', async () => {
      const identityId = newUuid();
      await documentOf(identityId, 'Ann "A" Ünal');
      await happened(['identity.created'], { identityId });
      const sent = await send();
      await documentOf(identityId, 'Ann Later');
      expect((await read(0)).bodies).toEqual(sent);
    });

    it('contains the resource if nothing was sent, or the payload is no longer stored', async () => {
      const identityId = newUuid();
      await documentOf(identityId, 'Ann');
      await happened(['identity.created'], { identityId });
      expect((await read(0)).events[0]?.data).toEqual({ id: 'idn_x', display_name: 'Ann', changed: [] });
      await send();
      await documentOf(identityId, 'Ann Later');
      await fixture.rows('delete from event_payloads where tenant_id = $1', [tenant]);
      expect((await read(0)).events[0]?.data).toMatchObject({ display_name: 'Ann Later' });
    });

    it('does not store a payload when it is read', async () => {
      await happened(['user.created']);
      await read(0);
      expect(await fixture.rows('select from event_payloads where tenant_id = $1', [tenant])).toEqual([]);
    });
  });

  describe('a feed client', () => {
    it('gets no uncommitted events and none waiting behind them, and later both in commit order', async () => {
      let commit = () => {};
      const committed = new Promise<void>((resolve) => {
        commit = resolve;
      });
      let begun = () => {};
      const recorded = new Promise<void>((resolve) => {
        begun = resolve;
      });
      const first = own.database.transaction(tenant, async (tx) => {
        await record(tx, ['user.created', 'user.updated']);
        begun();
        await committed;
      });
      await recorded;
      const second = happened(['user.deleted']);
      await fixture.waitForBlockedLock();
      expect(await read(0)).toMatchObject({ bodies: [], nextAfter: 0, hasMore: false });
      commit();
      await Promise.all([first, second]);
      expect((await read(0)).events.map(({ type }) => type)).toEqual(['user.created', 'user.updated', 'user.deleted']);
    });

    it('gets each event exactly once while concurrent transactions commit and fail', async () => {
      const writer = fc.array(fc.record({ events: fc.integer({ min: 1, max: 9 }), fails: fc.boolean() }), {
        maxLength: 8,
      });
      await fc.assert(
        fc.asyncProperty(
          fc.array(writer, { minLength: 2, maxLength: 6 }),
          fc.integer({ min: 1, max: 12 }),
          fc.constantFrom(undefined, ['user.*']),
          async (writers, limit, types) => {
            tenant = await fixture.tenant();
            let writing = true;
            const written = Promise.all(
              writers.map(async (turns) => {
                for (const { events, fails } of turns) {
                  await own.database
                    .transaction(tenant, async (tx) => {
                      await record(
                        tx,
                        Array.from({ length: events }, () => 'user.updated' as const),
                      );
                      if (fails) throw new Error('rolled back');
                    })
                    .catch((error: Error) => expect(error.message).toBe('rolled back'));
                }
              }),
            ).finally(() => {
              writing = false;
            });
            const seen: number[] = [];
            let at = 0;
            for (let last = false; !last; ) {
              last = !writing;
              const { events, nextAfter } = await readOn(at, { limit, types });
              seen.push(...events.map(({ sequence }) => sequence));
              at = nextAfter;
            }
            await written;
            const total = writers.flat().reduce((sum, { events, fails }) => sum + (fails ? 0 : events), 0);
            expect(seen).toEqual(upTo(total));
          },
        ),
        { numRuns: 20 },
      );
    });
  });

  describe('the version that an event shows', () => {
    const many = 5_000;
    const id = (n: string) => `('00000000-0000-7000-8000-' || lpad((${n})::text, 12, '0'))::uuid`;

    it('is found by a bounded number of rows, among many versions and on tables without statistics', async () => {
      await fixture.rows(
        `insert into source_records (id, tenant_id, kind, connector_id, external_id, status, content_hash, fields, changed_at,
            created_at, updated_at, document, last_job_id, last_seq, status_since)
         select ${id('n')}, $1, 'user', $1, n::text, 'active', '', '{}', '{}', now(), now(), '{"title":"last"}', $1, 1, now()
           from generate_series(1, ${many}) as n`,
        [tenant],
      );
      await fixture.rows(
        `insert into record_versions (tenant_id, record_id, valid_until, document)
         select $1, ${id(`case when n % 2 = 0 then 1 else n end`)}, '2026-01-01'::timestamptz + n * interval '1 second', json_build_object('title', n)::text
           from generate_series(1, ${many}) as n`,
        [tenant],
      );
      const times = [1_000, 2_000, 4_999];
      await own.database.transaction(tenant, (tx) =>
        recordEvents(
          tx,
          times.map((seconds) => ({
            type: 'user.updated' as const,
            occurredAt: new Date(Date.parse('2026-01-01T00:00:00Z') + seconds * 1_000),
            subjectId: '00000000-0000-7000-8000-000000000001',
            details: {},
          })),
        ),
      );
      for (const reader of [own.database, dispatcher]) {
        await reader.transaction(tenant, async (tx) => {
          const before = await rowsFetched(tx, 'record_versions');
          const { bodies } = await findEventBodies(tx, { first: 1, last: 3 }, { limit: 50 });
          expect(bodies.map(({ body }) => JSON.parse(body).data.title)).toEqual([1_002, 2_002, 5_000]);
          expect((await rowsFetched(tx, 'record_versions')) - before).toBeLessThan(20);
        });
      }
    });
  });
});

describe('events as operators list them', () => {
  const start = Date.parse('2026-01-01T00:00:00Z');
  const hour = 60 * 60_000;
  const at = (sequence: number) => new Date(start + sequence * hour);

  interface Given {
    type?: string;
    identity?: string;
    job?: string;
    subject?: string;
  }

  /** Inserts one event per hour, and returns their ids. */
  async function happened(events: readonly Given[]): Promise<string[]> {
    const ids = events.map((_, index) => uuidAt(at(index + 1)));
    for (const [index, { type = 'user.updated', identity = null, job = null, subject = null }] of events.entries())
      await fixture.rows(
        `insert into events (tenant_id, sequence, id, type, occurred_at, identity_id, job_id, subject_id, details)
         values ($1, $2, $3, $4, $5, $6, $7, $8, '{"changes":[{"field":"email"},{"field":"email"},{"field":"job_title"}]}')`,
        [tenant, index + 1, ids[index], type, at(index + 1), identity, job, subject],
      );
    return ids;
  }

  const list = (filter: Partial<EventFilter> = {}, examineLimit?: number) =>
    own.database.transaction(tenant, (tx) => listEvents(tx, { limit: 50, ...filter }, examineLimit));

  const sequences = async (filter?: Partial<EventFilter>) => (await list(filter)).rows.map(({ sequence }) => sequence);

  it('returns the newest first, with the position of the next page', async () => {
    await happened([{}, {}, {}]);
    const first = await list({ limit: 2 });
    expect([first.rows.map(({ sequence }) => sequence), first.next]).toEqual([[3, 2], 2]);
    const second = await list({ limit: 2, before: first.next });
    expect([second.rows.map(({ sequence }) => sequence), second.next]).toEqual([[1], undefined]);
    expect(second.rows[0]).toMatchObject({ changed: ['email', 'job_title'], deliveries: [], occurredAt: at(1) });
  });

  it('filters by type, time, run and identity', async () => {
    const [identity, job] = [newUuid(), newUuid()];
    await happened([{ identity }, { type: 'identity.created', identity, job }, { job }, { type: 'user.created' }]);
    await fixture.rows(
      `insert into identities (id, tenant_id, status, document, created_at, updated_at)
       values ($1, $2, 'active', '{}', now(), now())`,
      [identity, tenant],
    );
    expect(await sequences({ types: ['user.*'] })).toEqual([4, 3, 1]);
    expect(await sequences({ since: at(2), until: at(4) })).toEqual([3, 2]);
    expect(await sequences({ jobId: job })).toEqual([3, 2]);
    expect(await sequences({ identityId: identity })).toEqual([2, 1]);
    expect(await sequences({ identityId: identity, types: ['identity.created'] })).toEqual([2]);
    expect(await sequences({ identityId: newUuid() })).toEqual([]);
  });

  it('filters by the record that an event is about, of any identity or of one', async () => {
    const [identity, subject] = [newUuid(), newUuid()];
    await fixture.rows(
      `insert into identities (id, tenant_id, status, document, created_at, updated_at)
       values ($1, $2, 'active', '{}', now(), now())`,
      [identity, tenant],
    );
    await happened([{ subject }, { identity }, { identity, subject }, { subject: newUuid() }]);
    expect(await sequences({ subjectId: subject })).toEqual([3, 1]);
    expect(await sequences({ subjectId: subject, identityId: identity })).toEqual([3]);
  });

  it('continues after the events that it examined without a match', async () => {
    await happened([{ type: 'user.created' }, {}, {}, {}]);
    const first = await list({ types: ['user.created'] }, 2);
    expect(first).toEqual({ rows: [], next: 3 });
    const second = await list({ types: ['user.created'], before: first.next }, 2);
    expect([second.rows.map(({ sequence }) => sequence), second.next]).toEqual([[1], 1]);
    expect(await list({ types: ['user.created'], before: second.next }, 2)).toEqual({ rows: [], next: undefined });
  });

  it('shows the delivery to each webhook', async () => {
    await happened([{}]);
    const [webhook, delivery] = [newUuid(), newUuid()];
    await fixture.rows(
      `insert into webhooks (id, tenant_id, callback_url, events) values ($1, $2, 'https://x.org', '{*}')`,
      [webhook, tenant],
    );
    await fixture.rows(
      `insert into webhook_deliveries (id, tenant_id, webhook_id, event_sequence, event_type, status, is_retry)
       values ($1, $2, $3, 1, 'user.updated', 'dead', true)`,
      [delivery, tenant, webhook],
    );
    const { rows } = await list();
    expect(rows[0]?.deliveries).toEqual([{ id: delivery, webhookId: webhook, status: 'dead' }]);
  });

  it('finds an event by its id, whose time is that of the event', async () => {
    const [, second = ''] = await happened([{}, {}, {}]);
    const find = (id: string) => own.database.transaction(tenant, (tx) => findEvent(tx, id));
    expect(await find(second)).toMatchObject({ sequence: 2, details: { changes: expect.anything() } });
    expect(await find(uuidAt(at(2)))).toBeUndefined();
    expect(await find('ffffffff-ffff-7fff-bfff-ffffffffffff')).toBeUndefined();
  });

  it('returns nothing of another tenant', async () => {
    const [id = ''] = await happened([{}]);
    tenant = await fixture.tenant();
    expect(await list()).toEqual({ rows: [] });
    expect(await own.database.transaction(tenant, (tx) => findEvent(tx, id))).toBeUndefined();
  });
});

describe('a page of a history', () => {
  let gateway: Database;

  beforeAll(() => {
    gateway = own.database as unknown as Database;
  });

  it('ends at the size limit, and the next page continues there by cursor and by offset', async () => {
    const identity = newUuid();
    await fixture.rows(
      `insert into identities (tenant_id, id, status, created_at, updated_at, document) values ($1, $2, 'active', now(), now(), '{}')`,
      [tenant, identity],
    );
    await fixture.rows(
      `insert into events (tenant_id, sequence, id, type, occurred_at, identity_id, details)
       select $1, n, gen_random_uuid(), 'identity.updated', now(), $2, jsonb_build_object('filler', repeat('x', $3))
         from generate_series(1, 12) n`,
      [tenant, identity, Math.floor(volumeLimits.pageBytes / 5)],
    );
    const seen: number[] = [];
    const sizes: number[] = [];
    for (let cut = true; cut; ) {
      const page = { limit: 200, offset: 0, afterSequence: seen.at(-1) ?? 0 };
      const found = await findHistory(gateway, tenant, identity, page);
      const byOffset = await findHistory(gateway, tenant, identity, { limit: 200, offset: seen.length });
      expect(byOffset).toEqual(found);
      expect(found?.total).toBe(12);
      const sequences = found?.events.map(({ sequence }) => sequence) ?? [];
      seen.push(...sequences);
      sizes.push(sequences.length);
      cut = found?.isCut ?? false;
    }
    expect(seen).toEqual(Array.from({ length: 12 }, (_, nth) => nth + 1));
    expect(sizes).toEqual([4, 4, 4]);
  });

  it('does not exist for an unknown identity or that of another tenant, but is empty without events', async () => {
    const identity = newUuid();
    await fixture.rows(
      `insert into identities (tenant_id, id, status, created_at, updated_at, document) values ($1, $2, 'active', now(), now(), '{}')`,
      [tenant, identity],
    );
    const page = { limit: 10, offset: 0 };
    expect(await findHistory(gateway, tenant, newUuid(), page)).toBeUndefined();
    expect(await findHistory(gateway, await fixture.tenant(), identity, page)).toBeUndefined();
    expect(await findHistory(gateway, tenant, identity, page)).toEqual({ events: [], isCut: false, total: 0 });
  });
});

describe('the activity of the last 24 hours', () => {
  const find = () => own.database.transaction(tenant, (tx) => findActivity(tx));

  it('has every event and attempt by hour, however many there are', async () => {
    await fixture.rows(
      `insert into events (tenant_id, sequence, id, type, occurred_at, details)
       select $1, n, gen_random_uuid(), 'user.created', now() - (30000 - n) * interval '4 seconds', '{}'
         from generate_series(1, 30000) n`,
      [tenant],
    );
    await fixture.rows(
      `insert into webhook_hours (tenant_id, hour, webhook_id, outcome, attempts)
       select $1, date_trunc('hour', now()) - ago * interval '1 hour', gen_random_uuid(), outcome, 40000
         from unnest(array['delivered', 'delivered', 'rejected', 'timed_out', 'unknown', 'delivered'],
                     array[0, 23, 0, 0, 0, 24]) as a (outcome, ago)`,
      [tenant],
    );
    const hours = await find();
    const stored = await fixture.rows(
      `select date_trunc('hour', occurred_at) as at, count(*) from events
        where tenant_id = $1 and occurred_at >= date_trunc('hour', now()) - interval '23 hours' group by 1 order by 1`,
      [tenant],
    );
    expect(hours.map(({ at, events }) => ({ at, count: events }))).toEqual(stored);
    expect(hours).toHaveLength(24);
    expect(hours[0]).toMatchObject({ delivered: 40_000, failed: 0 });
    expect(hours.at(-1)).toMatchObject({ delivered: 40_000, failed: 80_000 });
  });

  it('is zero without events', async () => {
    expect((await find()).map(({ events }) => events)).toEqual(Array.from({ length: 24 }, () => 0));
  });

  it('is found by a bounded number of rows', async () => {
    await fixture.rows(
      `insert into events (tenant_id, sequence, id, type, occurred_at, details)
       select $1, n, gen_random_uuid(), 'user.created', now() - interval '1 hour', '{}' from generate_series(1, 5000) n`,
      [tenant],
    );
    const fetched = await own.database.transaction(tenant, async (tx) => {
      const before = await rowsFetched(tx, 'events');
      await findActivity(tx);
      return (await rowsFetched(tx, 'events')) - before;
    });
    expect(fetched).toBeLessThan(1_000);
  });
});
