// `npm run bench:pages`: the cost of a page deep in a list of a million, compared with reaching it by an index scan.
//
// Uses the PostgreSQL of DATABASE_URL, by default an embedded one. BENCH_RECORDS (1000000).

import { findDocuments } from '../libs/database/dist/gateway/index.js';
import { Database } from '../libs/database/dist/index.js';
import { DirectoryFixture } from '../libs/testing/dist/index.js';
import { withBenchDatabase } from './support/bench-database.mjs';
import { countIdentities } from './support/people.mjs';
import { printTable } from './support/table.mjs';

const records = Number(process.env.BENCH_RECORDS ?? 1_000_000);
const rounds = 50;
const tenant = '01900000-0000-7000-8000-000000000001';

await withBenchDatabase(async ({ url }) => {
  await fill(url);
  const database = await Database.connect({ url, service: 'gateway', poolSize: 1 });
  const admin = DirectoryFixture.connect(url);
  const table = [['status', 'offset', 'ms/page', 'vs offset 0', 'index scan, ms']];
  for (const status of [undefined, 'active', 'inactive']) {
    const share = status === 'inactive' ? 0.1 : status === 'active' ? 0.9 : 1;
    let first;
    for (const offset of [0, 0.09, 0.9].map((part) => Math.floor(part * share * records))) {
      const page = await median(
        () => findDocuments(database, tenant, 'identity', { limit: 50, offset, status }),
        rounds,
      );
      const walk = await median(() => walked(admin, offset, status), 5);
      first ??= page;
      table.push([status ?? 'any', String(offset), page.toFixed(2), (page / first).toFixed(2), walk.toFixed(2)]);
    }
  }
  printTable('Pages of 50', table);
  await database.close();
  await admin.close();
});

/**
 * Inserts identities as an import of 2 500 records/s does: a thousand have the same timestamp. One in ten is inactive.
 */
async function fill(url) {
  const client = DirectoryFixture.connect(url);
  await client.rows(`insert into tenants (id, name) values ('${tenant}', 'Bench')`);
  await client.rows(
    `insert into identities (tenant_id, id, display_name, status, created_at, updated_at, document)
     select '${tenant}', gen_random_uuid(), 'Person ' || n, case when n % 10 = 0 then 'inactive' else 'active' end, made, made,
            '{"id":"' || n || '","attributes":"' || repeat(md5(n::text), 60) || '"}'
       from (select n, '2026-01-01'::timestamptz + n / 1000 * interval '400 ms' as made from generate_series(1, $1::integer) n) each`,
    [records],
  );
  await countIdentities((sql) => client.rows(sql));
  await client.rows('vacuum analyze identities');
  await client.rows('vacuum analyze list_positions');
  await client.close();
}

function walked(client, offset, status) {
  const only = status ? `status = '${status}'` : `status <> 'deleted'`;
  return client.rows(
    `select string_agg(document, ',' order by created_at, id) from (
       select document, created_at, id from identities where tenant_id = '${tenant}' and ${only}
        order by created_at, id limit 50 offset ${offset}) page`,
  );
}

async function median(work, times) {
  const taken = [];
  for (let round = 0; round < times; round += 1) {
    const began = performance.now();
    await work();
    taken.push(performance.now() - began);
  }
  return taken.sort((a, b) => a - b)[Math.floor(times / 2)];
}
