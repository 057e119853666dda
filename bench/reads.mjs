// `npm run bench:reads`: CPU of the gateway for pages, filters, single identities and histories, beside bare Fastify
// handlers with the same statements, in turns. CPU is compared, because the load of the machine changes rates more.
//
// Uses DATABASE_URL, by default an embedded PostgreSQL. BENCH_RECORDS (5000), BENCH_ROUNDS (7), BENCH_SECONDS (2 per
// round), BENCH_CLIENTS (8). BENCH_OTHER: another checkout with a build, whose gateway is measured too.
// BENCH_REPLICA=true: a private PostgreSQL with a streaming replica, from which a second gateway reads.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { encodeId } from '../libs/contracts/dist/index.js';
import { DirectoryFixture, freePort, PrivatePostgres } from '../libs/testing/dist/index.js';
import { bareConnection } from './support/bare-connection.mjs';
import { withBenchDatabase } from './support/bench-database.mjs';
import { connectionSeconds, cpuSeconds, secondsBetween } from './support/cpu-time.mjs';
import { GatewayProcess } from './support/gateway-process.mjs';
import { loadOf } from './support/load.mjs';
import { countIdentities } from './support/people.mjs';
import { printTable } from './support/table.mjs';

const number = (name, fallback) => Number(process.env[name] ?? fallback);
const records = number('BENCH_RECORDS', 5_000);
const rounds = number('BENCH_ROUNDS', 7);
const seconds = number('BENCH_SECONDS', 2);
const clients = number('BENCH_CLIENTS', 8);
const tenant = '01900000-0000-7000-8000-000000000001';
const id = encodeId('identity', '00000000-0000-7000-8000-000000000042');

/**
 * Names, paths, and the most CPU of the gateway per request that is allowed, in multiples of bare Fastify; the last one is
 * requested with the version that the client has, which bare Fastify ignores.
 */
const cases = [
  ['a page of 50', '/v1/identities?limit=50', 2.2],
  ['a page of 50 with a status', '/v1/identities?limit=50&status=active', 2.2],
  ['a page of 50 of a department', '/v1/identities?limit=50&department=dep+7', 2.2],
  ['one identity', `/v1/identities/${id}`, 3],
  ['the history of one', `/v1/identities/${id}/history`],
  ['an unchanged page of 50', '/v1/identities?limit=50', 1.5, 'conditional'],
];

const withDatabase = process.env.BENCH_REPLICA === 'true' ? withReplica : withBenchDatabase;
await withDatabase(async ({ url, readUrl }) => {
  await fill(url);
  const admins = await Promise.all([url, ...(readUrl ? [readUrl] : [])].map(bareConnection));
  const env = {
    DATABASE_URL: url,
    ADMIN_TOKEN: randomBytes(24).toString('base64url'),
    ENCRYPTION_KEY: randomBytes(32).toString('base64'),
  };
  const here = await startGateway(env);
  const targets = [here, await startBare(url)];
  if (readUrl) targets.push(await startGateway({ ...env, DATABASE_READ_URL: readUrl }, undefined, 'with the replica'));
  if (process.env.BENCH_OTHER) targets.push(await startGateway(env, resolve(process.env.BENCH_OTHER)));
  try {
    const headers = { 'x-api-key': await createKey(here.url, env.ADMIN_TOKEN) };
    for (const [name, path, limit, condition] of cases) {
      if (condition) headers['if-none-match'] = await versionOf(`${here.url}${path}`, headers);
      await compare(name, path, limit, targets, headers, admins);
    }
  } finally {
    for (const { child } of targets) {
      child.kill('SIGTERM');
      await once(child, 'exit');
    }
    for (const admin of admins) await admin.end();
  }
});

async function compare(name, path, limit, all, headers, admins) {
  const targets = limit === undefined ? all.filter(({ name: which }) => which !== 'bare Fastify') : all;
  const results = new Map(targets.map((target) => [target, []]));
  for (let round = -1; round < rounds; round += 1) {
    for (const target of round % 2 === 0 ? targets : targets.toReversed()) {
      await loadOf(`${target.url}${path}`, 1, clients, headers);
      const before = [await cpuSeconds(target.child.pid), ...(await Promise.all(admins.map(connectionSeconds)))];
      const { requests, rate, p99 } = await loadOf(`${target.url}${path}`, seconds, clients, headers);
      const used = (await cpuSeconds(target.child.pid)) - before[0];
      const [database, replica = 0] = await Promise.all(
        admins.map(async (admin, at) => secondsBetween(before[at + 1], await connectionSeconds(admin)) / requests),
      );
      // The first round only compiles.
      if (round >= 0) results.get(target).push({ rate, p99, process: used / requests, database, replica });
    }
  }
  const bare = results.get(all[1]);
  const micros = (seconds) => Math.round(seconds * 1_000_000);
  printTable(`${name}${limit === undefined ? '' : `: at most ${limit} times the CPU of bare Fastify`}`, [
    [
      'process',
      'CPU, µs',
      'PostgreSQL, µs',
      ...(admins.length > 1 ? ['replica, µs'] : []),
      'requests/s',
      'p99, ms',
      'CPU vs bare',
      'rate vs bare',
    ],
    ...targets.map((target) => {
      const of = (field) => median(results.get(target).map((each) => each[field]));
      const vs = (field) => bare && (of(field) / median(bare.map((each) => each[field]))).toFixed(2);
      const ofReplica = admins.length > 1 ? [micros(of('replica'))] : [];
      const figures = [micros(of('process')), micros(of('database')), ...ofReplica, Math.round(of('rate')), of('p99')];
      return [target.name, ...figures, vs('process'), vs('rate')];
    }),
  ]);
}

async function versionOf(url, headers) {
  return (await fetch(url, { headers })).headers.get('etag');
}

function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}

async function startGateway(env, root, name = root ?? 'gateway') {
  const gateway = await GatewayProcess.create(env, root && join(root, 'apps/gateway/dist/main.js'));
  gateway.start();
  await gateway.isReady();
  return { name, url: gateway.url, child: gateway.child };
}

async function withReplica(work) {
  const primary = await PrivatePostgres.start();
  const replica = await primary.replica();
  try {
    await work({ url: primary.url, readUrl: replica.url });
  } finally {
    await replica.remove();
    await primary.remove();
  }
}

async function startBare(url) {
  const port = await freePort();
  const program = fileURLToPath(new URL('support/bare-reads.mjs', import.meta.url));
  const child = spawn(process.execPath, [program, url, String(port), tenant], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  return { name: 'bare Fastify', url: `http://127.0.0.1:${port}`, child };
}

async function createKey(base, token) {
  const answer = await fetch(`${base}/admin/v1/tenants/${encodeId('tenant', tenant)}/api-keys`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: '{"name":"bench"}',
  });
  return (await answer.json()).key;
}

/** Inserts identities of 1.3 KB with a user in one of twenty departments, and ten events of each. */
async function fill(url) {
  const client = DirectoryFixture.connect(url);
  await client.rows(`insert into tenants (id, name) values ('${tenant}', 'Bench')`);
  await client.rows(`insert into event_sequences (tenant_id, last) values ('${tenant}', $1)`, [10 * records]);
  await client.rows(
    `insert into identities (tenant_id, id, status, created_at, updated_at, document)
     select '${tenant}', ('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid,
            case when n % 10 = 0 then 'inactive' else 'active' end, made, made,
            '{"id":"' || n || '","attributes":"' || repeat(md5(n::text), 40) || '"}'
       from (select n, '2026-01-01'::timestamptz + n / 1000 * interval '400 ms' as made
               from generate_series(1, $1::integer) n) each`,
    [records],
  );
  await client.rows(
    `insert into source_records (id, tenant_id, kind, connector_id, external_id, identity_id, status, content_hash, fields,
        changed_at, created_at, updated_at, document, last_job_id, last_seq, status_since)
     select id, tenant_id, 'user', tenant_id, id::text, id, status, '', '{}', '{}', created_at, updated_at, document, id, 1,
            created_at from identities`,
  );
  await client.rows(
    `insert into list_terms (tenant_id, term, created_at, record_id)
     select tenant_id, 'd:dep ' || right(id::text, 4)::integer % 20, created_at, id from source_records order by 2, 3`,
  );
  await client.rows(
    `insert into events (tenant_id, sequence, id, type, occurred_at, identity_id, details)
     select tenant_id, row_number() over (), gen_random_uuid(), 'identity.updated', created_at, id, '{"changes": []}'
       from identities cross join generate_series(1, 10)`,
  );
  await countIdentities((sql) => client.rows(sql));
  await client.rows('vacuum analyze');
  await client.close();
}
