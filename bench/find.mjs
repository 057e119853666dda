// `npm run bench:find`: the time of a search among a million people, beside the same statement on a bare connection.
//
// Uses the PostgreSQL of DATABASE_URL, by default an embedded one. BENCH_RECORDS (1000000).
import { listRecords, recordListQuery, searchDocuments, searchQuery } from '../libs/database/dist/gateway/index.js';
import { Database } from '../libs/database/dist/index.js';
import { DirectoryFixture } from '../libs/testing/dist/index.js';
import { bareConnection } from './support/bare-connection.mjs';
import { withBenchDatabase } from './support/bench-database.mjs';
import { printTable } from './support/table.mjs';

const records = Number(process.env.BENCH_RECORDS ?? 1_000_000);
const rounds = 100;
const tenant = '01900000-0000-7000-8000-000000000001';
const page = { limit: 50, offset: 0 };

await withBenchDatabase(async ({ url }) => {
  await fill(url);
  const database = await Database.connect({ url, service: 'gateway', poolSize: 1 });
  const bare = await bareConnection(url);
  const table = [['search', 'p50, ms', 'p95, ms', 'bare SQL, p95, ms', 'target, ms']];
  const nth = (round) => (round * 7919) % records;
  const searches = [
    ['email', (n) => ({ values: { email: `p${n}@example.org` } }), 10],
    ['number', (n) => ({ values: { employee_number: String(n) } }), 10],
    ['email of another', () => ({ values: { email: 'nobody@example.org' } }), 10],
    ['q: first and last name', (n) => ({ text: `first${n % 3000} last${n % 20000}` }), 50],
    ['q: last name', (n) => ({ text: `last${n % 20000}` }), 50],
    ['q: a typo', (n) => ({ text: `lsat${n % 20000}` }), 50],
    ['q: matches all', () => ({ text: 'fi' }), 50],
    ['q: two words that all have', () => ({ text: 'fi la' }), 50],
    ['q: two frequent words of nobody', () => ({ text: 'first12 first13' }), 50],
  ];
  for (const [name, filter, target] of searches) {
    const through = await times((round) =>
      searchDocuments(database, tenant, 'identity', { ...page, ...filter(nth(round)) }),
    );
    const direct = await times((round) =>
      bare.query(searchQuery(tenant, 'identity', { ...page, ...filter(nth(round)) })),
    );
    table.push([name, through.p50, through.p95, direct.p95, String(target)]);
  }
  const unmatched = { ...page, isMatched: false };
  const listed = await times(() => listRecords(database, tenant, 'account', unmatched));
  const direct = await times(() => bare.query(recordListQuery(tenant, 'account', unmatched)));
  table.push(['unmatched accounts', listed.p50, listed.p95, direct.p95, '']);
  printTable(`Searches among ${records} people`, table);
  await bare.end();
  await database.close();
});

/** Inserts people with their terms, as the directory writes them. */
async function fill(url) {
  const client = DirectoryFixture.connect(url);
  await client.rows(`insert into tenants (id, name) values ('${tenant}', 'Bench')`);
  await client.rows(
    `insert into source_records (id, tenant_id, kind, connector_id, external_id, identity_id, status, content_hash, fields,
        changed_at, created_at, updated_at, document, last_job_id, last_seq, status_since)
     select id, '${tenant}', 'user', '${tenant}', n::text, id, 'active', '', '{}', '{}', made, made, '{}', id, 1, made
       from (select n, gen_random_uuid() as id, '2026-01-01'::timestamptz + n / 1000 * interval '400 ms' as made
               from generate_series(0, $1::integer - 1) n) each`,
    [records],
  );
  await client.rows(
    `insert into identities (tenant_id, id, status, created_at, updated_at, document)
     select tenant_id, id, status, created_at, updated_at, '{"id":"' || id || '","filler":"' || repeat('x', 2000) || '"}'
       from source_records`,
  );
  await client.rows(
    `insert into search_terms select tenant_id, term, id from source_records
      cross join lateral (select 'first' || external_id::integer % 3000 as first, 'last' || external_id::integer % 20000 as last) as name
      cross join lateral (values ('e:p' || external_id || '@example.org'), ('n:' || external_id),
        ('w:' || first || ' ' || last || ' '), ('w:' || last || ' ' || first || ' ')) as t (term) order by 2`,
  );
  await client.rows('vacuum analyze search_terms');
  await client.rows('vacuum analyze source_records');
  await client.rows('vacuum analyze identities');
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
