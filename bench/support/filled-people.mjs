// A database with a million people and their terms, as the directory writes them, for the benchmarks of searches and lists.
import { createHash } from 'node:crypto';
import pg from 'pg';
import { createDatabase, databaseUrl, dropDatabase, migrate } from '../../libs/database/dist/schema/index.js';
import { DirectoryFixture } from '../../libs/testing/dist/index.js';
import { withBenchDatabase } from './bench-database.mjs';

export const records = Number(process.env.BENCH_RECORDS ?? 1_000_000);
export const tenant = '01900000-0000-7000-8000-000000000001';
/** The time of the last change of every ten thousandth person; the others have not changed since they were created. */
export const changedAt = new Date('2027-01-01T00:00:00Z');
/** When the first person was created. A thousand follow every 400 ms, as in an import of 2500 records/s. */
export const begin = Date.parse('2026-01-01T00:00:00Z');

/**
 * Runs `work({ url })` with the people. With `--keep`, the database stays on the server of DATABASE_URL under a name that
 * contains a hash of its content, and the next run uses it again; `--drop` drops all kept ones.
 */
export async function withPeople(work) {
  const server = process.env.DATABASE_URL;
  if (process.argv.includes('--drop')) return dropKept(needed(server));
  if (!process.argv.includes('--keep')) {
    return withBenchDatabase(async ({ url }) => {
      await fill(url);
      await work({ url });
    });
  }
  const name = `${keptPrefix}${records}_${createHash('sha256').update(fill.toString()).digest('hex').slice(0, 8)}`;
  const url = databaseUrl(needed(server), name);
  if (!(await isFilled(server, name))) {
    await dropDatabase(server, name);
    await createDatabase(server, name);
    await migrate(url);
    await fill(url);
    await asAdmin(server, (client) => client.query(`comment on database ${name} is 'filled'`));
  }
  await migrate(url);
  await work({ url });
}

const keptPrefix = 'idsync_people_';

function needed(server) {
  if (!server) throw new Error('--keep and --drop need DATABASE_URL');
  return server;
}

async function isFilled(server, name) {
  const { rowCount } = await asAdmin(server, (client) =>
    client.query(`select from pg_database where datname = $1 and shobj_description(oid, 'pg_database') = 'filled'`, [
      name,
    ]),
  );
  return rowCount > 0;
}

async function dropKept(server) {
  const { rows } = await asAdmin(server, (client) =>
    client.query('select datname from pg_database where starts_with(datname, $1)', [keptPrefix]),
  );
  for (const { datname } of rows) await dropDatabase(server, datname);
}

async function asAdmin(server, work) {
  const client = new pg.Client({ connectionString: databaseUrl(server, 'postgres') });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

async function fill(url) {
  const client = DirectoryFixture.connect(url);
  const idOf = (at) =>
    `(lpad(to_hex((extract(epoch from ${at}) * 1000)::bigint), 12, '0') || '7' || substr(md5(random()::text), 1, 3)
      || '8' || substr(md5(random()::text), 1, 15))::uuid`;
  await client.rows(`insert into tenants (id, name) values ('${tenant}', 'Bench')`);
  await client.rows(
    `insert into source_records (id, tenant_id, kind, connector_id, external_id, identity_id, status, content_hash, fields,
        changed_at, created_at, updated_at, document, last_job_id, last_seq, status_since, manager_id)
     select id, '${tenant}', 'user', '${tenant}', n::text, person, case when n % 10000 = 7 then 'suspended' else 'active' end,
            '', '{}', '{}', made, case when n % 10000 = 9 then '${changedAt.toISOString()}' else made end,
            '{"id":"' || id || '","filler":"' || repeat('x', 500) || '"}', id, 1, made, md5((n / 10)::text)::uuid
       from (select n, ${idOf('made')} as id, ${idOf('made')} as person, made
               from (select n, '${new Date(begin).toISOString()}'::timestamptz + n / 1000 * interval '400 ms' as made
                       from generate_series(0, $1::integer - 1) n) as times) as each`,
    [records],
  );
  await client.rows(
    `insert into identities (tenant_id, id, status, created_at, updated_at, document)
     select tenant_id, identity_id, status, created_at, updated_at,
            '{"id":"' || identity_id || '","filler":"' || repeat('x', 1500) || '"}'
       from source_records`,
  );
  await client.rows(
    `insert into search_terms select tenant_id, term, id from source_records
      cross join lateral (select 'first' || external_id::integer % 3000 as first, 'last' || external_id::integer % 20000 as last) as name
      cross join lateral (values ('e:p' || external_id || '@example.org'), ('n:' || external_id),
        ('w:' || first || ' ' || last || ' '), ('w:' || last || ' ' || first || ' ')) as t (term) order by 2, 3`,
  );
  await client.rows(
    `insert into list_terms select tenant_id, term, created_at, id from source_records
      cross join lateral (values ('a:badge:' || external_id), ('a:site:' || external_id::integer % 1000),
        ('d:dep ' || external_id::integer % 20)) as t (term) order by 2, 3, 4`,
  );
  for (const each of ['search_terms', 'list_terms', 'source_records', 'identities']) {
    await client.rows(`vacuum analyze ${each}`);
  }
  await client.close();
}
