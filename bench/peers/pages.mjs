// A page of 50 of 10 000 people with their emails and accounts, requested by eight clients.
import { randomBytes } from 'node:crypto';
import { encodeId } from '../../libs/contracts/dist/index.js';
import { bareConnection } from '../support/bare-connection.mjs';
import { cpuSeconds, postgresSeconds } from '../support/cpu-time.mjs';
import { GatewayProcess } from '../support/gateway-process.mjs';
import { loadOf } from '../support/load.mjs';
import { countIdentities } from '../support/people.mjs';
import { median } from '../support/statistics.mjs';
import { printTable } from '../support/table.mjs';
import { startProgram, stopProgram } from './programs.mjs';

const people = 10_000;
const clients = 8;
const warmUpSeconds = 5;
const tenant = '01900000-0000-7000-8000-000000000001';
const query = `{ allPeople(first: 50, orderBy: [CREATED_AT_ASC, ROW_ID_ASC]) { totalCount nodes {
  rowId displayName status firstName lastName jobTitle department notes createdAt updatedAt
  emailsByPersonId { nodes { rowId value type } } accountsByPersonId { nodes { rowId source externalId status } } } } }`;

export async function measure(bench) {
  await fillPeers(bench.peersUrl);
  await fillIdsync(bench.url);
  const seconds = bench.short ? 1 : 4;
  const starts = {
    idsync: () => startGateway(bench.url),
    'bare Fastify': () => startBare(bench.url),
    postgraphile: () => startPostGraphile(bench.peersUrl),
    'nest-typeorm': () => startNest(bench.peersUrl),
  };
  const systems = [];
  try {
    for (const [name, start] of Object.entries(starts)) {
      try {
        const system = { ...(await start()), name };
        await checkPage(system);
        systems.push(system);
      } catch (error) {
        if (name === 'idsync') throw error;
        bench.leaveOut(name, error);
      }
    }
    const results = new Map(systems.map((system) => [system, []]));
    // Until V8 has compiled the code of a gateway, a page costs it two to three times as much.
    for (const system of systems) await requested(bench, system, warmUpSeconds);
    for (let round = 0; round < bench.rounds; round += 1) {
      for (const [system, measurements] of results) measurements.push(await requested(bench, system, seconds));
    }
    return report(bench, seconds, results);
  } finally {
    for (const system of systems) await stopProgram(system);
  }
}

async function requested({ folder }, { child, url, path, headers, body }, seconds) {
  const used = async () => [await cpuSeconds(child.pid), await postgresSeconds(folder)];
  const before = await used();
  const { requests, rate, p99, bytes } = await loadOf(`${url}${path}`, seconds, clients, headers, body);
  const [own, database] = (await used()).map((now, at) => (1_000 * (now - before[at])) / requests);
  return { rate, p99, bytes, own, database, cpu: own + database };
}

/** Throws unless the page has fifty people with their emails and accounts. */
async function checkPage({ name, url, path, headers, body }) {
  const answer = await fetch(`${url}${path}`, { method: body ? 'POST' : 'GET', headers, body });
  const text = await answer.text();
  const found = text.match(/person\d+\.work@example\.org/g)?.length;
  const accounts = text.match(/"E\d+-1"/g)?.length;
  if (!answer.ok || found !== 50 || accounts !== 50) {
    throw new Error(`${name} answered ${answer.status} with ${found} emails: ${text.slice(0, 300)}`);
  }
}

function report({ rounds }, seconds, results) {
  const rows = [...results].map(([{ name }, measurements]) => {
    const of = (field) => median(measurements.map((each) => each[field]));
    const [rate, p99, own, database, cpu] = ['rate', 'p99', 'own', 'database', 'cpu'].map(of);
    return { name, rate, p99, own, database, cpu, kilobytes: of('bytes') / 1_000 };
  });
  const [idsync] = rows;
  printTable(`A page of 50 of ${people} people, ${clients} clients, median of ${rounds} rounds of ${seconds} s`, [
    ['system', 'KB', 'pages/s', 'p99, ms', 'CPU ms', 'PostgreSQL ms', 'rate idsync : peer', 'CPU idsync : peer'],
    ...rows.map(({ name, kilobytes, rate, p99, own, database, cpu }) => [
      name,
      kilobytes.toFixed(0),
      rate.toFixed(0),
      p99,
      own.toFixed(2),
      database.toFixed(2),
      (idsync.rate / rate).toFixed(2),
      (idsync.cpu / cpu).toFixed(2),
    ]),
  ]);
  return rows.slice(1).map(({ name, cpu }) => [`pages: CPU, ${name}`, cpu / idsync.cpu]);
}

async function startGateway(url) {
  const token = randomBytes(24).toString('base64url');
  const encryptionKey = randomBytes(32).toString('base64');
  const gateway = await GatewayProcess.create({ DATABASE_URL: url, ADMIN_TOKEN: token, ENCRYPTION_KEY: encryptionKey });
  gateway.start();
  await gateway.isReady();
  const answer = await fetch(`${gateway.url}/admin/v1/tenants/${encodeId('tenant', tenant)}/api-keys`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: '{"name":"bench"}',
  });
  const headers = { 'x-api-key': (await answer.json()).key };
  return { child: gateway.child, url: gateway.url, path: '/v1/identities?limit=50', headers };
}

async function startBare(url) {
  const program = { path: '../support/bare-reads.mjs', words: [tenant] };
  return { ...(await startProgram('bare-reads', url, program)), path: '/v1/identities?limit=50' };
}

async function startPostGraphile(url) {
  const headers = { 'content-type': 'application/json' };
  return { ...(await startProgram('postgraphile', url)), path: '/graphql', headers, body: JSON.stringify({ query }) };
}

async function startNest(url) {
  return { ...(await startProgram('nest-typeorm', url)), path: '/people?limit=50' };
}

/** Fills tables of people, each with two emails and two accounts. */
async function fillPeers(url) {
  const client = await bareConnection(url);
  await client.query(`
    create schema peers;
    create table peers.people (id uuid primary key, display_name text not null, status text not null, first_name text,
      last_name text, job_title text, department text, notes text, created_at timestamptz not null,
      updated_at timestamptz not null);
    create table peers.emails (id uuid primary key, person_id uuid not null references peers.people, value text not null,
      type text not null);
    create table peers.accounts (id uuid primary key, person_id uuid not null references peers.people,
      source text not null, external_id text not null, status text not null);
    insert into peers.people
      select ('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, 'First' || n || ' Last' || n,
             case when n % 10 = 0 then 'inactive' else 'active' end, 'First' || n, 'Last' || n, 'Engineer ' || n % 97,
             'Department ' || n % 41, repeat(md5(n::text), 16), made, made
        from (select n, '2026-01-01'::timestamptz + n * interval '1 second' as made
                from generate_series(1, ${people}) n) as each;
    insert into peers.emails
      select gen_random_uuid(), id, 'person' || right(id::text, 9)::int || '.' || type || '@example.org', type
        from peers.people cross join (values ('work'), ('home')) as t (type);
    insert into peers.accounts
      select gen_random_uuid(), id, 'Source ' || n, 'E' || right(id::text, 9)::int || '-' || n, 'active'
        from peers.people cross join generate_series(1, 2) n;
    create index on peers.people (created_at, id);
    create index on peers.emails (person_id);
    create index on peers.accounts (person_id);
  `);
  await client.query('vacuum analyze');
  await client.end();
}

/** Fills a tenant with documents of the same people, as the directory renders them when it applies a change. */
async function fillIdsync(url) {
  await fillPeers(url);
  const client = await bareConnection(url);
  await client.query(`insert into tenants (id, name) values ('${tenant}', 'Bench')`);
  await client.query(`insert into event_sequences (tenant_id, last) values ('${tenant}', 0)`);
  await client.query(
    `insert into identities (tenant_id, id, display_name, status, created_at, updated_at, document)
     select '${tenant}', id, display_name, status, created_at, updated_at, (to_jsonb(p) || jsonb_build_object(
              'emails', (select jsonb_agg(to_jsonb(e) - 'person_id') from peers.emails e where person_id = p.id),
              'accounts', (select jsonb_agg(to_jsonb(a) - 'person_id') from peers.accounts a where person_id = p.id)))::text
       from peers.people p`,
  );
  await client.query('drop schema peers cascade');
  await countIdentities((sql) => client.query(sql));
  await client.query('vacuum analyze');
  await client.end();
}
