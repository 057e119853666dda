import { newUuid } from '@idsync/contracts';
import { createTestDatabase, DirectoryFixture, type TestDatabase } from '@idsync/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Database } from '../database.js';
import { addToCounters } from '../directory/counters.js';
import { findDocuments, pageQuery } from './documents.js';

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

const statuses = ['active', 'inactive', 'deleted', 'pending'];

interface Row {
  id: string;
  createdAt: Date;
  status: string;
}

/** Identities made at one moment, within a second, an hour and years; their documents are their ids. */
async function fill(tenant: string, count: number): Promise<Row[]> {
  const first = Date.parse('2021-03-04T05:06:07.000Z');
  const spans = [0, 1_000, 3_600_000, 4 * 365 * 86_400_000];
  const rows = Array.from({ length: count }, (_, at) => ({
    id: newUuid(),
    createdAt: new Date(first + Math.floor(Math.random() * (spans[at % spans.length] ?? 0))),
    status: statuses[Math.floor(Math.random() * statuses.length)] ?? 'active',
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
      tenant,
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
  it('is at every offset, with and without a status, what stands there; also after statuses have changed', async () => {
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
      const changed = rows.filter(() => Math.random() < 0.3);
      const before = changed.map((row) => ({ ...row, by: -1 }));
      for (const row of changed) row.status = statuses[Math.floor(Math.random() * statuses.length)] ?? 'active';
      await fixture.rows(
        `update identities i set status = n.status from unnest($1::uuid[], $2::text[]) as n (id, status) where i.id = n.id`,
        [changed.map(({ id }) => id), changed.map(({ status }) => status)],
      );
      await countThem(tenant, [...before, ...changed.map((row) => ({ ...row, by: 1 }))]);
    }
  });

  it('knows nothing of the positions of another tenant', async () => {
    const tenant = await fixture.tenant();
    await fill(tenant, 1_200);
    const empty = await findDocuments(gateway, await fixture.tenant(), 'identity', { limit: 7, offset: 600 });
    expect(empty).toMatchObject({ items: '', count: 0, total: 0 });
  });

  it('reads a bounded number of rows, however deep it is', async () => {
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

interface Plan {
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  Plans?: Plan[];
}

/** Rows the statement reads from tables, all told. */
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
