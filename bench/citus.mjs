// `npm run bench:citus`: an import of many tenants on one PostgreSQL, and on Citus with one, two and three workers: CPU of
// each node, connections, space and reads. Then a worker is added while the tenants are imported, and takes its part.
//
// Starts its own servers, which needs Citus in /usr/lib/postgresql. Uses AMQP_URL. BENCH_RECORDS (20000) people in 50
// tenants, BENCH_WORKERS (0,1,2,3; 0 is plain PostgreSQL), BENCH_REBALANCE (2, the workers before one is added; 0: none).
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createVhost, PrivateCitus } from '../libs/testing/dist/index.js';
import { bareConnection } from './support/bare-connection.mjs';
import { cpuSeconds, serverSeconds } from './support/cpu-time.mjs';
import { FourServices } from './support/four-services.mjs';
import { peopleConnector, writePeople } from './support/people.mjs';
import { describeLoad, pause, percentile, sum } from './support/statistics.mjs';
import { printTable } from './support/table.mjs';

const tenants = 50;
const records = Number(process.env.BENCH_RECORDS ?? 20_000);
const workers = (process.env.BENCH_WORKERS ?? '0,1,2,3').split(',').filter(Boolean).map(Number);
const rebalanced = Number(process.env.BENCH_REBALANCE ?? 2);
const readsAfter = 200;
const betweenReadsMs = 50;

const unavailable = PrivateCitus.unavailable();
if (unavailable) throw new Error(unavailable);

/** Runs `work` with all services and 50 tenants, each with a source. */
async function withCluster(count, work) {
  const folder = await mkdtemp(join(tmpdir(), 'idsync-bench-'));
  await writePeople(join(folder, 'people.csv'), records / tenants);
  const vhost = await createVhost();
  process.env.AMQP_URL = vhost.url;
  const citus = await PrivateCitus.start(count);
  const services = await FourServices.start(citus.url, folder);
  const admin = await bareConnection(citus.url);
  try {
    const all = [];
    for (let n = 0; n < tenants; n += 1) {
      const { id } = await services.operator('POST', '/tenants', { name: `Tenant ${n}` });
      const { key } = await services.operator('POST', `/tenants/${id}/api-keys`, { name: 'bench' });
      const { id: connector } = await services.operator('POST', `/tenants/${id}/connectors`, peopleConnector);
      all.push({ id, key, connector });
    }
    const name = count === 0 ? 'PostgreSQL' : `Citus, ${count} ${count === 1 ? 'worker' : 'workers'}`;
    await work({ name, citus, services, admin, all, folder });
  } finally {
    await admin.end();
    await services.stop();
    await citus.remove();
    await vhost.drop();
    await rm(folder, { recursive: true, force: true });
  }
}

async function importing(run) {
  const { name, citus, services, admin } = run;
  process.stdout.write(`\n${name}: ${records} people in ${tenants} tenants; ${describeLoad()}\n`);
  const before = await used(run);
  const reader = new Reader(run);
  const peaks = await peaksOf(citus);
  const seconds = await sync(run);
  const during = await reader.stop();
  const connections = await peaks.stop();
  const after = await used(run);
  const cpu = after.map((value, at) => (1_000 * (value - before[at])) / records);
  const sizes = await Promise.all(
    citus.nodes.map((node) => onNode(node, citus, 'pg_database_size(current_database())')),
  );
  const nodes = citus.nodes.map((_, at) => [
    at === 0 ? 'first node' : `worker ${at}`,
    cpu[at].toFixed(2),
    ((cpu[at] * records) / 1_000 / seconds).toFixed(2),
    connections[at],
    (sizes[at] / 2 ** 20).toFixed(0),
  ]);
  const names = [...services.children.keys()].map((service, at) => [service, cpu[citus.nodes.length + at].toFixed(2)]);
  printTable(`${(records / seconds).toFixed(0)} people/s`, [
    ['process', 'CPU s per 1000', 'cores', 'peak connections', 'MB'],
    ...nodes,
    ...names,
    ['all', sum(cpu).toFixed(2)],
  ]);
  await admin.query('analyze');
  const quiet = new Reader(run, readsAfter);
  await quiet.ended;
  printReads([
    ['during the import', during],
    ['afterwards', quiet],
  ]);
}

/** Adds a worker while a second source of the same people is imported, and while they are read. */
async function rebalancing(run) {
  const { name, citus, services, admin } = run;
  process.stdout.write(`\n${name}, and another added under load; ${describeLoad()}\n`);
  await sync(run);
  for (const tenant of run.all) {
    const { id } = await services.operator('POST', `/tenants/${tenant.id}/connectors`, {
      ...peopleConnector,
      name: 'Again',
    });
    tenant.connector = id;
  }
  const reader = new Reader(run);
  const progress = new Progress(citus);
  const syncing = sync(run);
  await pause(5_000);
  await citus.addWorker();
  const began = performance.now();
  // Logical replication cannot write to tables with forced row-level security.
  await admin.query(`select citus_rebalance_start(shard_transfer_mode => 'block_writes')`);
  await admin.query('select citus_rebalance_wait()');
  const moved = (performance.now() - began) / 1_000;
  const states = await admin.query('select status, count(*)::int from pg_dist_background_task group by 1');
  const seconds = await syncing;
  printTable(`${(records / seconds).toFixed(0)} records/s`, [
    ['moved in s', 'tasks', 'import s', 'longest pause of the import, s', 'failed jobs'],
    [
      moved.toFixed(1),
      states.rows.map(({ status, count }) => `${count} ${status}`).join(', '),
      seconds.toFixed(1),
      (await progress.stop()).toFixed(1),
      (await admin.query(`select from sync_jobs where status <> 'completed'`)).rowCount,
    ],
  ]);
  const parts = await admin.query(
    `select nodeport as port, count(*)::int as parts from citus_shards where table_name = 'identities'::regclass group by 1`,
  );
  process.stdout.write(`  parts of the identities: ${parts.rows.map((row) => row.parts).join(', ')}\n`);
  printReads([['during the move', await reader.stop()]]);
}

/** Runs a job of each tenant. Resolves with the seconds until the last has ended. */
async function sync({ services, admin, all }) {
  const began = performance.now();
  for (const { id, connector } of all) {
    await services.operator('POST', `/tenants/${id}/sync-jobs`, { connector_id: connector });
  }
  for (;;) {
    const { rowCount } = await admin.query(`select from sync_jobs where status in ('queued', 'running') limit 1`);
    if (rowCount === 0) return (performance.now() - began) / 1_000;
    await pause(500);
  }
}

/** Sends reads of all tenants one after another until it is stopped, or `count` of them. */
class Reader {
  ms = new Map();
  failures = [];
  stopped = false;

  constructor({ services, all }, count = Number.POSITIVE_INFINITY) {
    this.ended = this.read(services, all, count);
  }

  async read(services, all, count) {
    for (let n = 0; n < count && !this.stopped; n += 1) {
      const { key } = all[n % tenants];
      const ids = new Map();
      const paths = { 'page of 50': '/v1/identities?limit=50', search: `/v1/identities?q=First${n % 100}&limit=20` };
      for (const [name, path] of Object.entries(paths)) {
        const page = await this.send(name, `${services.base}${path}`, key);
        if (page?.data[0]) ids.set(key, page.data[0].id);
        await pause(betweenReadsMs);
      }
      if (ids.has(key)) await this.send('by id', `${services.base}/v1/identities/${ids.get(key)}`, key);
    }
  }

  async send(name, url, key) {
    const began = performance.now();
    const answer = await fetch(url, { headers: { 'x-api-key': key } });
    const text = await answer.text();
    this.ms.set(name, [...(this.ms.get(name) ?? []), performance.now() - began]);
    if (answer.ok) return JSON.parse(text);
    this.failures.push(`${answer.status} ${text}`);
    return undefined;
  }

  async stop() {
    this.stopped = true;
    await this.ended;
    return this;
  }
}

function printReads(readers) {
  const rows = readers.flatMap(([when, { ms, failures }]) =>
    [...ms].map(([name, times]) => [
      when,
      name,
      times.length,
      percentile(times, 0.5).toFixed(0),
      percentile(times, 0.95).toFixed(0),
      Math.max(...times).toFixed(0),
      failures.length,
    ]),
  );
  printTable('Reads, ms', [['when', 'what', 'reads', 'p50', 'p95', 'longest', 'failures of all'], ...rows]);
  for (const failure of readers.flatMap(([, { failures }]) => failures).slice(0, 3))
    process.stdout.write(`  ${failure}\n`);
}

/** Returns the CPU seconds of each node with its ended processes, then of each service. */
function used({ citus, services }) {
  return Promise.all([
    ...citus.nodes.map(({ dataDir }) => serverSeconds(dataDir)),
    ...[...services.children.values()].map(({ pid }) => cpuSeconds(pid)),
  ]);
}

/** Samples the connections of clients to each node; `stop` resolves with the highest numbers. */
async function peaksOf(citus) {
  const peaks = citus.nodes.map(() => 0);
  return sampled(1_000, async () => {
    for (const [at, node] of citus.nodes.entries()) {
      const count = `count(*)::int - 1 from pg_stat_activity where backend_type = 'client backend' and datname is not null`;
      peaks[at] = Math.max(peaks[at], await onNode(node, citus, count));
    }
    return peaks;
  });
}

/** Measures the longest time in which no record was applied; `stop` resolves with its seconds. */
class Progress {
  constructor(citus) {
    let before = -1;
    let since = performance.now();
    let longest = 0;
    this.sampling = sampled(200, async () => {
      const [coordinator] = citus.nodes;
      const count = await onNode(coordinator, citus, 'sum(records_applied)::int from sync_jobs');
      const now = performance.now();
      longest = Math.max(longest, (now - since) / 1_000);
      if (count !== before) [before, since] = [count, now];
      return longest;
    });
  }

  async stop() {
    return (await this.sampling).stop();
  }
}

async function sampled(everyMs, take) {
  let stopped = false;
  const sampling = (async () => {
    let last;
    while (!stopped) {
      last = await take();
      await pause(everyMs);
    }
    return last;
  })();
  return {
    stop() {
      stopped = true;
      return sampling;
    },
  };
}

/** Returns the value of an expression in the database on this node. */
async function onNode(node, { url }, expression) {
  const client = await bareConnection(Object.assign(new URL(url), { port: String(node.port) }).href);
  const { rows } = await client.query(`select ${expression}`).finally(() => client.end());
  return Number(Object.values(rows[0])[0]);
}

for (const count of workers) await withCluster(count, importing);
if (rebalanced > 0) await withCluster(rebalanced, rebalancing);
