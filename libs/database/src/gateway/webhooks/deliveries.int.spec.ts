import { newUuid } from '@idsync/contracts';
import { type DirectoryFixture, ServiceDatabase } from '@idsync/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { rowsFetched } from '../../../test/rows-fetched.js';
import { type DeliveryQuery, findDelivery, listDeliveries } from './deliveries.js';

interface Row {
  id: string;
  webhookId: string;
  sequence: number;
  status: 'pending' | 'delivered' | 'dead';
  isRetry: boolean;
  type: string;
}

const types = ['user.created', 'user.updated', 'identity.created'];
const start = Date.parse('2026-01-01T00:00:00Z');
const hour = 60 * 60_000;
const occurred = (sequence: number) => new Date(start + sequence * hour);

let own: ServiceDatabase;
let fixture: DirectoryFixture;
let tenant: string;

beforeAll(async () => {
  own = await ServiceDatabase.start('gateway');
  fixture = own.fixture;
});

beforeEach(async () => {
  tenant = await fixture.tenant();
});

afterAll(async () => {
  await own?.close();
});

async function webhook(id = newUuid()): Promise<string> {
  await fixture.rows(
    `insert into webhooks (id, tenant_id, callback_url, events) values ($1, $2, 'https://x.org', '{*}')`,
    [id, tenant],
  );
  return id;
}

/** Inserts one event per hour. */
async function happened(count: number): Promise<void> {
  await fixture.rows(
    `insert into events (tenant_id, sequence, id, type, occurred_at, details)
     select $1, n, gen_random_uuid(), 'user.created', $2::timestamptz + n * interval '1 hour', '{}' from generate_series(1, $3) n`,
    [tenant, new Date(start), count],
  );
}

async function insert(rows: readonly Row[]): Promise<void> {
  await fixture.rows(
    `insert into webhook_deliveries (id, tenant_id, webhook_id, event_sequence, event_type, status, is_retry)
     select d.id, $1, d."webhookId", d.sequence, d.type, d.status, d."isRetry"
       from jsonb_to_recordset($2) as d (id uuid, "webhookId" uuid, sequence bigint, type text, status text, "isRetry" boolean)`,
    [tenant, JSON.stringify(rows)],
  );
}

const list = (query: DeliveryQuery, examineLimit?: number) =>
  own.database.transaction(tenant, (tx) => listDeliveries(tx, tenant, query, examineLimit));

/** Reads all pages to the end of the list. */
async function walk(query: DeliveryQuery, examineLimit?: number): Promise<string[]> {
  const ids: string[] = [];
  for (let { after } = query; ; ) {
    const { rows, next } = await list({ ...query, after }, examineLimit);
    expect(rows.length).toBeLessThanOrEqual(query.limit);
    ids.push(...rows.map(({ id }) => id));
    if (!next) return ids;
    after = next;
  }
}

function expected(rows: readonly Row[], { webhookId, status, eventType, since, until }: DeliveryQuery): string[] {
  return rows
    .filter(
      (row) =>
        (!webhookId || row.webhookId === webhookId) &&
        (!status || row.status === status) &&
        (!eventType || row.type === eventType) &&
        (!since || occurred(row.sequence) >= since) &&
        (!until || occurred(row.sequence) < until),
    )
    .sort((a, b) => b.sequence - a.sequence || (a.webhookId < b.webhookId ? 1 : -1))
    .map(({ id }) => id);
}

const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });

describe('the list of deliveries', () => {
  it('has every matching delivery once, the newest first, for any page size and examination limit', async () => {
    const webhooks = [await webhook(), await webhook(), await webhook(), await webhook()];
    await happened(60);
    const made = fc.sample(
      fc.tuple(fc.constantFrom<Row['status']>('pending', 'delivered', 'dead'), fc.boolean(), fc.constantFrom(...types)),
      { numRuns: 240, seed: 1 },
    );
    const rows = made.flatMap(([status, isRetry, type], place): Row[] => {
      const at = place % 4;
      const sequence = 1 + Math.floor(place / 4);
      // The first webhook has all events, the second only few, the last none.
      if (at === 3 || (at === 1 && sequence % 20 !== 0) || (at === 2 && sequence > 30)) return [];
      return [{ id: newUuid(), webhookId: webhooks[at] ?? '', sequence, status, isRetry, type }];
    });
    await insert(rows);
    const query = fc.record({
      webhookId: optional(fc.constantFrom(...webhooks)),
      status: optional(fc.constantFrom<Row['status']>('pending', 'delivered', 'dead')),
      eventType: optional(fc.constantFrom(...types, 'user.deleted')),
      since: optional(fc.integer({ min: 0, max: 61 }).map(occurred)),
      until: optional(fc.integer({ min: 0, max: 61 }).map(occurred)),
      limit: fc.integer({ min: 1, max: 70 }),
    });
    await fc.assert(
      fc.asyncProperty(query, fc.integer({ min: 1, max: 200 }), async (wanted, examineLimit) => {
        expect(await walk(wanted, examineLimit)).toEqual(expected(rows, wanted));
      }),
      { numRuns: 150 },
    );
  });

  it('examines only deliveries of the requested time range', async () => {
    const webhookId = await webhook();
    await happened(60);
    const rows = Array.from(
      { length: 60 },
      (_, at): Row => ({
        id: newUuid(),
        webhookId,
        sequence: at + 1,
        status: 'delivered',
        isRetry: false,
        type: 'user.created',
      }),
    );
    await insert(rows);
    for (const query of [
      { until: occurred(6), limit: 10 },
      { since: occurred(56), limit: 10 },
    ]) {
      const page = await list(query, 10);
      expect(page.rows.map(({ id }) => id)).toEqual(expected(rows, query));
      expect(page.next).toBeUndefined();
    }
  });

  it('excludes other tenants, and deleted webhooks unless requested by id', async () => {
    const gone = await webhook();
    const row: Row = {
      id: newUuid(),
      webhookId: gone,
      sequence: 1,
      status: 'dead',
      isRetry: true,
      type: 'user.created',
    };
    await insert([row]);
    await fixture.rows('delete from webhooks where id = $1', [gone]);
    expect(await walk({ limit: 10 })).toEqual([]);
    expect(await walk({ limit: 10, webhookId: gone })).toEqual([row.id]);
    const stranger = await fixture.tenant();
    const seen = await own.database.transaction(stranger, async (tx) => ({
      list: await listDeliveries(tx, stranger, { limit: 10, webhookId: gone }),
      one: await findDelivery(tx, stranger, row.id),
    }));
    expect(seen).toEqual({ list: { rows: [] }, one: undefined });
  });
});

describe('the list of tens of thousands of deliveries', () => {
  const count = 30_000;
  let busy: string;

  beforeEach(async () => {
    busy = await webhook();
    await webhook();
    await fixture.rows(
      `insert into webhook_deliveries (id, tenant_id, webhook_id, event_sequence, event_type, status, is_retry)
       select gen_random_uuid(), $1, $2, n, 'user.created', case when n in (5, 6) then 'dead' when n in (7, 8) then 'pending' else 'delivered' end,
              n % 2 = 0 from generate_series(1, $3) n`,
      [tenant, busy, count],
    );
  });

  /** Number of table rows that PostgreSQL fetches for the query. */
  async function fetched(query: Omit<DeliveryQuery, 'limit'>): Promise<{ found: number; fetched: number }> {
    return own.database.transaction(tenant, async (tx) => {
      const before = await rowsFetched(tx, 'webhook_deliveries');
      const { rows } = await listDeliveries(tx, tenant, { ...query, limit: 50 }, 1_000);
      return { found: rows.length, fetched: (await rowsFetched(tx, 'webhook_deliveries')) - before };
    });
  }

  it.each([
    ['the newest', {}, 50, 160],
    ['dead ones, which are few and old', { status: 'dead' as const }, 2, 10],
    ['pending ones, first attempts and retries', { status: 'pending' as const }, 2, 10],
    ['ones of a type that there is none of', { eventType: 'user.deleted' }, 0, 2_500],
  ])('finds %s without reading the rest', async (_, query, found, most) => {
    for (const webhookId of [undefined, busy]) {
      const seen = await fetched({ ...query, webhookId });
      expect(seen.found).toBe(found);
      expect(seen.fetched).toBeLessThanOrEqual(most);
    }
  });
});
