import { type EventType, eventTypes, newUuid, volumeLimits } from '@idsync/contracts';
import { createTestDatabase, DirectoryFixture, type TestDatabase } from '@idsync/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { rowsFetched } from '../../../test/rows-fetched.js';
import { recordEvents } from '../../bus/record-events.js';
import { Database, type Transaction } from '../../database.js';
import { findEventBodies } from '../../delivery/event-bodies.js';
import { savePayloads } from '../../delivery/fan-out.js';
import { findFeedPage } from './event-feed.js';

interface Body {
  type: string;
  sequence: number;
  data: Record<string, unknown>;
}

let testDatabase: TestDatabase;
let database: Database;
let dispatcher: Database;
let fixture: DirectoryFixture;
let tenant: string;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = await Database.connect({ url: testDatabase.url, service: 'gateway' });
  dispatcher = await Database.connect({ url: testDatabase.url, service: 'webhook-dispatcher' });
  fixture = DirectoryFixture.connect(testDatabase.url);
});

beforeEach(async () => {
  tenant = await fixture.tenant();
});

afterAll(async () => {
  await fixture?.close();
  await dispatcher?.close();
  await database?.close();
  await testDatabase?.drop();
});

const record = (tx: Transaction, types: readonly EventType[], about: { identityId?: string } = {}) =>
  recordEvents(
    tx,
    tenant,
    types.map((type) => ({ type, occurredAt: new Date(), subjectId: about.identityId, ...about, details: {} })),
  );

const happened = (types: readonly EventType[], about?: { identityId?: string }) =>
  database.transaction(tenant, (tx) => record(tx, types, about));

async function read(after: number, { types, limit = 50 }: { types?: readonly string[]; limit?: number } = {}) {
  const page = await database.transaction(tenant, (tx) => findFeedPage(tx, tenant, { after, types, limit }));
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
    const page = await database.transaction(other, (tx) => findFeedPage(tx, other, { after: 0, limit: 50 }));
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
       values ($1, $2, 'active', now(), now(), $3) on conflict (id) do update set document = excluded.document`,
      [id, tenant, JSON.stringify({ id: 'idn_x', display_name: name })],
    );
  const send = () =>
    dispatcher.transaction(tenant, async (tx) => {
      const { bodies } = await findEventBodies(tx, tenant, { first: 1, last: 1 }, { limit: 1 });
      await savePayloads(tx, tenant, bodies);
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
    const first = database.transaction(tenant, async (tx) => {
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
                await database
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
    await database.transaction(tenant, (tx) =>
      recordEvents(
        tx,
        tenant,
        times.map((seconds) => ({
          type: 'user.updated' as const,
          occurredAt: new Date(Date.parse('2026-01-01T00:00:00Z') + seconds * 1_000),
          subjectId: '00000000-0000-7000-8000-000000000001',
          details: {},
        })),
      ),
    );
    for (const reader of [database, dispatcher]) {
      await reader.transaction(tenant, async (tx) => {
        const before = await rowsFetched(tx, 'record_versions');
        const { bodies } = await findEventBodies(tx, tenant, { first: 1, last: 3 }, { limit: 50 });
        expect(bodies.map(({ body }) => JSON.parse(body).data.title)).toEqual([1_002, 2_002, 5_000]);
        expect((await rowsFetched(tx, 'record_versions')) - before).toBeLessThan(20);
      });
    }
  });
});
