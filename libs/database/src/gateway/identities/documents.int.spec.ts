import { newUuid, volumeLimits } from '@idsync/contracts';
import { createTestDatabase, DirectoryFixture, type TestDatabase } from '@idsync/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { seededRandom } from '../../../../../test/support/seeded-random.js';
import { Database } from '../../database.js';
import { addToCounters } from '../../directory/counters.js';
import { useIndexScans } from '../../transaction-settings.js';
import { findDocuments, type Position, pageQuery } from './documents.js';

let testDatabase: TestDatabase;
let gateway: Database;
let directory: Database;
let fixture: DirectoryFixture;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  gateway = await Database.connect({ url: testDatabase.url, service: 'gateway' });
  directory = await Database.connect({ url: testDatabase.url, service: 'directory' });
  fixture = DirectoryFixture.connect(testDatabase.url);
});

afterAll(async () => {
  await gateway?.close();
  await directory?.close();
  await fixture?.close();
  await testDatabase?.drop();
});

const random = seededRandom(1);
const statuses = ['active', 'inactive', 'deleted', 'pending'];

interface Row {
  id: string;
  createdAt: Date;
  status: string;
}

/** Inserts identities created within one moment, a second, an hour and years; the documents are their ids. */
async function fill(tenant: string, count: number): Promise<Row[]> {
  const first = Date.parse('2021-03-04T05:06:07.000Z');
  const spans = [0, 1_000, 3_600_000, 4 * 365 * 86_400_000];
  const rows = Array.from({ length: count }, (_, at) => ({
    id: newUuid(),
    createdAt: new Date(first + Math.floor(random() * (spans[at % spans.length] ?? 0))),
    status: statuses[Math.floor(random() * statuses.length)] ?? 'active',
  }));
  await fixture.rows(
    `insert into identities (tenant_id, id, status, created_at, updated_at, document)
     select $1, id, status, created_at, created_at, to_json(id)::text
       from unnest($2::uuid[], $3::text[], $4::timestamptz[]) as n (id, status, created_at)`,
    [tenant, rows.map(({ id }) => id), rows.map(({ status }) => status), rows.map(({ createdAt }) => createdAt)],
  );
  await countThem(
    tenant,
    rows.map((row) => ({ ...row, by: 1 })),
  );
  return rows;
}

async function countThem(tenant: string, changes: (Row & { by: number })[]): Promise<void> {
  await directory.transaction(tenant, (tx) =>
    addToCounters(
      tx,
      changes.map((change) => ({ ...change, resource: 'identity' })),
    ),
  );
}

function inOrder(rows: readonly Row[], status?: string): string[] {
  return rows
    .filter((row) => (status === undefined ? row.status !== 'deleted' : row.status === status))
    .sort((a, b) => a.createdAt.getTime() - b.createdAt.getTime() || (a.id < b.id ? -1 : 1))
    .map(({ id }) => id);
}

describe('a page of a list', () => {
  it('has the expected items at every offset, with and without a status, and after status changes', async () => {
    const tenant = await fixture.tenant();
    const rows = await fill(tenant, 3_000);
    for (let round = 0; round < 2; round += 1) {
      for (const status of [undefined, ...statuses]) {
        const expected = inOrder(rows, status);
        const offsets = [
          0,
          499,
          500,
          501,
          777,
          1_000,
          expected.length - 3,
          expected.length - 1,
          expected.length,
          9_999,
        ];
        for (const offset of offsets.filter((each) => each >= 0)) {
          const page = await findDocuments(gateway, tenant, 'identity', { limit: 7, offset, status });
          expect({ status, offset, items: JSON.parse(`[${page.items}]`) }).toEqual({
            status,
            offset,
            items: expected.slice(offset, offset + 7),
          });
          expect(page.total).toBe(expected.length);
        }
      }
      const changed = rows.filter(() => random() < 0.3);
      const before = changed.map((row) => ({ ...row, by: -1 }));
      for (const row of changed) row.status = statuses[Math.floor(random() * statuses.length)] ?? 'active';
      await fixture.rows(
        `update identities i set status = n.status from unnest($1::uuid[], $2::text[]) as n (id, status) where i.id = n.id`,
        [changed.map(({ id }) => id), changed.map(({ status }) => status)],
      );
      await countThem(tenant, [...before, ...changed.map((row) => ({ ...row, by: 1 }))]);
    }
  });

  it('ends at the size limit whatever limit is requested, and the next page continues there', async () => {
    const tenant = await fixture.tenant();
    const size = Math.floor(volumeLimits.pageBytes / 10);
    await fixture.rows(
      `insert into identities (tenant_id, id, status, created_at, updated_at, document)
       select $1, gen_random_uuid(), 'active', made, made,
              '{"nth":' || n || ',"filler":"' || repeat('x', case when n = 12 then $3::integer else $2::integer end) || '"}'
         from (select n, '2025-01-01'::timestamptz + n * interval '1 second' as made from generate_series(1, 40) n) each`,
      [tenant, size, 2 * volumeLimits.pageBytes],
    );
    const seen: number[] = [];
    const counts: number[] = [];
    for (let after: Position | undefined; ; ) {
      const page = await findDocuments(gateway, tenant, 'identity', { limit: 200, offset: 0, after });
      const numbers = (JSON.parse(`[${page.items}]`) as { nth: number }[]).map(({ nth }) => nth);
      expect(page.count).toBe(numbers.length);
      expect(page.count === 1 || Buffer.byteLength(page.items) <= 1.01 * volumeLimits.pageBytes).toBe(true);
      const byOffset = await findDocuments(gateway, tenant, 'identity', { limit: 200, offset: seen.length });
      expect(byOffset.items).toBe(page.items);
      seen.push(...numbers);
      counts.push(page.count);
      after = page.last;
      if (!page.isCut) break;
    }
    expect(seen).toEqual(Array.from({ length: 40 }, (_, at) => at + 1));
    expect(counts).toEqual([9, 2, 1, 9, 9, 9, 1]);
  });

  it("is not affected by another tenant's positions", async () => {
    const tenant = await fixture.tenant();
    await fill(tenant, 1_200);
    const empty = await findDocuments(gateway, await fixture.tenant(), 'identity', { limit: 7, offset: 600 });
    expect(empty).toMatchObject({ items: '', count: 0, total: 0 });
  });

  it('reads a bounded number of rows at any offset', async () => {
    const tenant = await fixture.tenant();
    await fixture.rows(
      `insert into identities (tenant_id, id, status, created_at, updated_at, document)
       select $1, gen_random_uuid(), 'active', made, made, '{}'
         from (select '2025-01-01'::timestamptz + n / 1000 * interval '400 ms' as made from generate_series(1, 100000) n) each`,
      [tenant],
    );
    await fixture.rows(
      `insert into list_positions select tenant_id, 'identity', level, floor(extract(epoch from created_at) * 1000)::bigint >> (6 + 6 * level), status, count(*)
         from identities cross join generate_series(0, 5) as level where tenant_id = $1 group by 1, 2, 3, 4, 5`,
      [tenant],
    );
    await fixture.rows('analyze identities, list_positions');
    const read = (offset: number) => rowsRead(pageQuery(tenant, 'identity', { limit: 50, offset }));
    const [near, far] = [await read(600), await read(90_000)];
    expect(far).toBeLessThan(near + 2_000);
  });
});

describe('a page of changes since a time', () => {
  const since = new Date('2026-01-01');

  it('has the expected items at every offset and cursor, and the total of all changes', async () => {
    const tenant = await fixture.tenant();
    const rows = await fill(tenant, 1_000);
    const changed = rows.filter(() => random() < 0.4);
    await fixture.rows('update identities set updated_at = $2 where id = any($1)', [
      changed.map(({ id }) => id),
      since,
    ]);
    await fixture.rows(`update identities set updated_at = '2020-01-01' where tenant_id = $1 and updated_at <> $2`, [
      tenant,
      since,
    ]);
    for (const status of [undefined, 'active', 'deleted']) {
      const expected = inOrder(changed, status);
      for (const offset of [0, 3, expected.length - 2, expected.length]) {
        const page = await findDocuments(gateway, tenant, 'identity', {
          limit: 7,
          offset,
          status,
          updatedSince: since,
        });
        expect(JSON.parse(`[${page.items}]`)).toEqual(expected.slice(offset, offset + 7));
        expect(page.total).toBe(expected.length);
      }
      const { last: after } = await findDocuments(gateway, tenant, 'identity', {
        limit: 7,
        offset: 0,
        status,
        updatedSince: since,
      });
      const next = await findDocuments(gateway, tenant, 'identity', {
        limit: 7,
        offset: 0,
        status,
        updatedSince: since,
        after,
      });
      expect(JSON.parse(`[${next.items}]`)).toEqual(expected.slice(7, 14));
    }
  });

  it('has a total of at most 5000 if neither the changes nor the other items are fewer', async () => {
    const tenant = await fixture.tenant();
    const count = 12_000;
    await fixture.rows(
      `insert into identities (tenant_id, id, status, created_at, updated_at, document)
       select $1, gen_random_uuid(), 'active', '2025-01-01'::timestamptz + n * interval '1 second', '2025-06-01', n::text
         from generate_series(1, $2::integer) n`,
      [tenant, count],
    );
    await fixture.rows(`insert into directory_counters select $1, 'identity', 'active', $2`, [tenant, count]);
    for (const [changed, total, isEstimate] of [
      [5_000, 5_000, false],
      [5_001, 5_000, true],
      [6_999, 5_000, true],
      [7_000, 7_000, false],
      [12_000, 12_000, false],
    ] as const) {
      const where = 'tenant_id = $1 and document::integer <= $2 and updated_at <> $3';
      await fixture.rows(`update identities set updated_at = $3 where ${where}`, [tenant, changed, since]);
      const page = await findDocuments(gateway, tenant, 'identity', { limit: 3, offset: 4_000, updatedSince: since });
      expect(page).toMatchObject({ total, isEstimate, items: '4001,4002,4003' });
      const end = { limit: 3, offset: changed, updatedSince: since };
      expect(await findDocuments(gateway, tenant, 'identity', end)).toMatchObject({ total, isEstimate, items: '' });
    }
  });

  it('begins with a change at exactly that time, also if there are more changes than are sorted', async () => {
    const tenant = await fixture.tenant();
    await fixture.rows(
      `insert into identities (tenant_id, id, status, created_at, updated_at, document)
       select $1, gen_random_uuid(), 'active', '2025-01-01'::timestamptz + n * interval '1 second',
              $2::timestamptz + n % 2 * interval '1 second', n::text
         from generate_series(0, 2500) n`,
      [tenant, since],
    );
    const page = await findDocuments(gateway, tenant, 'identity', { limit: 4, offset: 0, updatedSince: since });
    expect(page.items).toBe('0,1,2,3');
  });

  it('reads only the documents of the page and writes no temporary files, for any number of changes', async () => {
    const tenant = await fixture.tenant();
    await fixture.rows(
      `insert into identities (tenant_id, id, status, created_at, updated_at, document)
       select $1, gen_random_uuid(), 'active', '2025-01-01', '2026-01-02', repeat('a', 1000) from generate_series(1, 30000)`,
      [tenant],
    );
    await fixture.rows(`insert into directory_counters select $1, 'identity', 'active', 30000`, [tenant]);
    const { text, values } = pageQuery(tenant, 'identity', { limit: 50, offset: 10_000, updatedSince: since });
    await gateway.transaction(tenant, async (tx) => {
      await useIndexScans(tx);
      const page = await tx.query<{ total: number }>(text, values);
      expect({ count: page.length, total: page[0]?.total }).toEqual({ count: 50, total: 30_000 });
      const lines = await tx.query<{ 'QUERY PLAN': string }>(`explain (analyze, buffers) ${text}`, values);
      const plan = lines.map((line) => line['QUERY PLAN']).join('\n');
      expect(plan).toMatch(/Index Scan using identities_pkey on identities .* rows=1(?:\.00)? loops=50\)/);
      expect(plan).not.toMatch(/Disk:|temp (read|written)/);
    });
  });
});

interface Plan {
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  Plans?: Plan[];
}

/** Returns the total number of rows that the statement reads from tables. */
async function rowsRead({ text, values }: { text: string; values: readonly unknown[] }): Promise<number> {
  const [row] = await fixture.rows<{ 'QUERY PLAN': { Plan: Plan }[] }>(
    `explain (analyze, format json) ${text}`,
    values,
  );
  const count = (plan: Plan): number =>
    (plan['Relation Name'] ? plan['Actual Rows'] * plan['Actual Loops'] : 0) +
    (plan.Plans ?? []).reduce((sum, each) => sum + count(each), 0);
  const plan = row?.['QUERY PLAN'][0]?.Plan;
  if (!plan) throw new Error('no plan');
  return count(plan);
}
