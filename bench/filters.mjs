// `npm run bench:filters`: the time of lists with filters among a million people, beside the same statement on a bare
// connection.
//
// Uses the PostgreSQL of DATABASE_URL, by default an embedded one. BENCH_RECORDS (1000000).
import { filterDocuments, filterQuery } from '../libs/database/dist/gateway/index.js';
import { Database } from '../libs/database/dist/index.js';
import { DirectoryFixture } from '../libs/testing/dist/index.js';
import { bareConnection } from './support/bare-connection.mjs';
import { withBenchDatabase } from './support/bench-database.mjs';
import { printTable } from './support/table.mjs';

const records = Number(process.env.BENCH_RECORDS ?? 1_000_000);
const rounds = 100;
const tenant = '01900000-0000-7000-8000-000000000001';
const changed = new Date('2027-01-01T00:00:00Z');
const page = { limit: 50, offset: 0 };
const begin = Date.parse('2026-01-01T00:00:00Z');

await withBenchDatabase(async ({ url }) => {
  await fill(url);
  const database = await Database.connect({ url, service: 'gateway', poolSize: 1 });
  const bare = await bareConnection(url);
  const [{ manager }] = await bareRows(url, 'select manager_id as manager from source_records limit 1');
  const table = [['filter', 'people', 'p50, ms', 'p95, ms', 'bare SQL, p95, ms', 'target, ms']];
  const nth = (round) => (round * 7919) % records;
  const middle = { createdAt: begin + Math.floor(records / 2_000) * 400, id: tenant, along: 0 };
  const filters = [
    ['a unique attribute', '1', (n) => ({ attributes: { badge: String(n) } }), 0],
    ['an attribute', String(Math.ceil(records / 1_000)), (n) => ({ attributes: { site: String(n % 1_000) } }), 0],
    ['a manager', '10', () => ({ managerId: manager }), 0],
    ['a department', String(records / 20), (n) => ({ department: `dep ${n % 20}` }), 0],
    ['a department, in the middle', '', (n) => ({ department: `dep ${n % 20}`, after: middle }), 0],
    ['a source', String(records), () => ({ sourceId: tenant }), 0],
    ['a source and a rare status', '', () => ({ sourceId: tenant, status: 'suspended' }), 1],
    ['a source and a hundred changes', '', () => ({ sourceId: tenant, updatedSince: changed }), 1],
    [
      'a department and an attribute',
      '',
      (n) => ({ department: `dep ${n % 20}`, attributes: { site: String(n % 1_000) } }),
      0,
    ],
  ];
  for (const resource of ['identity', 'user']) {
    for (const [name, people, filter, along] of filters) {
      const through = await times((round) =>
        filterDocuments(database, tenant, resource, { ...page, ...filter(nth(round)) }),
      );
      const direct = await times((round) =>
        bare.query(filterQuery(tenant, resource, { ...page, ...filter(nth(round)) }, along)),
      );
      table.push([`${resource}: ${name}`, people, through.p50, through.p95, direct.p95, '10']);
    }
  }
  printTable(`Lists with filters among ${records} people`, table);
  await bare.end();
  await database.close();
});

async function bareRows(url, sql) {
  const client = DirectoryFixture.connect(url);
  const rows = await client.rows(sql);
  await client.close();
  return rows;
}

/** Inserts people with their terms, as the directory writes them. */
async function fill(url) {
  const client = DirectoryFixture.connect(url);
  await client.rows(`insert into tenants (id, name) values ('${tenant}', 'Bench')`);
  await client.rows(
    `insert into source_records (id, tenant_id, kind, connector_id, external_id, identity_id, status, content_hash, fields,
        changed_at, created_at, updated_at, document, last_job_id, last_seq, status_since, manager_id)
     select id, '${tenant}', 'user', '${tenant}', n::text, id, case when n % 10000 = 7 then 'suspended' else 'active' end, '',
            '{}', '{}', made, case when n % 10000 = 9 then '${changed.toISOString()}' else made end,
            '{"id":"' || id || '","filler":"' || repeat('x', 300) || '"}', id, 1, made, md5((n / 10)::text)::uuid
       from (select n, gen_random_uuid() as id, '2026-01-01'::timestamptz + n / 1000 * interval '400 ms' as made
               from generate_series(0, $1::integer - 1) n) each`,
    [records],
  );
  await client.rows(
    `insert into identities (tenant_id, id, status, created_at, updated_at, document)
     select tenant_id, id, status, created_at, updated_at, '{"id":"' || id || '","filler":"' || repeat('x', 600) || '"}'
       from source_records`,
  );
  await client.rows(
    `insert into list_terms select tenant_id, term, created_at, id from source_records
      cross join lateral (values ('a:badge:' || external_id), ('a:site:' || external_id::integer % 1000),
        ('d:dep ' || external_id::integer % 20)) as t (term) order by 2, 3`,
  );
  for (const each of ['list_terms', 'source_records', 'identities']) await client.rows(`vacuum analyze ${each}`);
  await client.close();
}

async function times(work) {
  const taken = [];
  for (let round = 0; round < rounds; round += 1) {
    const began = performance.now();
    await work(round);
    taken.push(performance.now() - began);
  }
  taken.sort((a, b) => a - b);
  const at = (share) => (taken[Math.floor(share * rounds)] ?? 0).toFixed(1);
  return { p50: at(0.5), p95: at(0.95) };
}
