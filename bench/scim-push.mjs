// `npm run bench:push`: users that an identity provider creates through the SCIM service of one connector, one after the
// other and by eight clients, beside the same number of bare inserts in one transaction each.
//
// Uses AMQP_URL, by default queues in PostgreSQL, and always an embedded PostgreSQL. BENCH_CREATES (600 per
// measurement), BENCH_ROUNDS (3).
import { bareConnection, barePool } from './support/bare-connection.mjs';
import { withBenchDatabase } from './support/bench-database.mjs';
import { servicesSeconds } from './support/cpu-time.mjs';
import { FourServices } from './support/four-services.mjs';
import { describeLoad } from './support/query-times.mjs';
import { applied, createProvider, userOf } from './support/scim-provider.mjs';
import { concurrently, median, sum } from './support/statistics.mjs';
import { printTable } from './support/table.mjs';

const creates = Number(process.env.BENCH_CREATES ?? 600);
const rounds = Number(process.env.BENCH_ROUNDS ?? 3);
delete process.env.DATABASE_URL;

await withBenchDatabase(async ({ url, folder }) => {
  const services = await FourServices.start(url, folder);
  const admin = await bareConnection(url);
  try {
    await createBareTable(admin);
    await measured(services, folder, admin, 8, 100);
    const results = new Map([1, 8].map((clients) => [clients, { pushed: [], bare: [] }]));
    for (let round = 0; round < rounds; round += 1) {
      for (const [clients, { pushed, bare }] of results) {
        bare.push(await bareInserts(url, folder, services, clients));
        pushed.push(await measured(services, folder, admin, clients, creates));
      }
    }
    process.stdout.write(`queues: ${process.env.AMQP_URL ? 'RabbitMQ' : 'PostgreSQL'}; ${describeLoad()}\n`);
    const names = [...services.children.keys(), 'PostgreSQL'];
    printTable(`Creates by SCIM push, median of ${rounds} rounds of ${creates}; CPU in ms per create`, [
      ['clients', 'creates/s', 'p50, ms', 'p99, ms', 'jobs', ...names, 'all', 'bare inserts/s', 'bare CPU', 'vs bare'],
      ...[...results].map(([clients, { pushed, bare }]) => {
        const of = (read) => median(pushed.map(read));
        const rate = of((each) => each.rate);
        const bareRate = median(bare.map((each) => each.rate));
        const cpu = names.map((_, at) => of(({ used }) => used[at]).toFixed(2));
        return [
          clients,
          rate.toFixed(0),
          of(({ times }) => times[Math.floor(0.5 * times.length)]).toFixed(1),
          of(({ times }) => times[Math.floor(0.99 * times.length)]).toFixed(1),
          of(({ jobs }) => jobs),
          ...cpu,
          of(({ used }) => sum(used)).toFixed(2),
          bareRate.toFixed(0),
          median(bare.map(({ cpu: used }) => used)).toFixed(2),
          `${((100 * rate) / bareRate).toFixed(0)} %`,
        ];
      }),
    ]);
  } finally {
    await admin.end();
    await services.stop();
  }
});

/** Creates users of a new connector. The CPU includes the sync jobs that apply them to the directory. */
async function measured(services, folder, admin, clients, count) {
  const { id: tenant } = await services.operator('POST', '/tenants', { name: 'Bench' });
  const provider = await createProvider(services, tenant, clients);
  const times = [];
  const before = await servicesSeconds(services, folder);
  const seconds = await concurrently(clients, count, async (n) => {
    const began = performance.now();
    await provider.create(n);
    times.push(performance.now() - began);
  });
  await provider.close();
  await applied(services, tenant, admin, count);
  const after = await servicesSeconds(services, folder);
  const { rows } = await admin.query(
    'select count(*)::int as jobs from sync_jobs where tenant_id = (select tenant_id from sync_jobs order by id desc limit 1)',
  );
  times.sort((a, b) => a - b);
  const used = after.map((value, at) => (1_000 * (value - before[at])) / count);
  return { rate: count / seconds, times, used, jobs: rows[0].jobs };
}

async function createBareTable(admin) {
  await admin.query('create schema bare; create table bare.users (like public.scim_resources including all)');
}

async function bareInserts(url, folder, services, clients) {
  const pool = barePool(url, clients);
  const [tenant, connector] = [crypto.randomUUID(), crypto.randomUUID()];
  const insert = async (n) => {
    const client = await pool.connect();
    await client.query('begin');
    await client.query(
      `insert into bare.users (tenant_id, connector_id, kind, id, name_key, external_key, document, position)
       values ($1, $2, 'User', gen_random_uuid(), $3, $4, $5, $6)`,
      [tenant, connector, `${connector} User user${n}`, `${connector} User E${n}`, JSON.stringify(userOf(n)), n],
    );
    await client.query('commit');
    client.release();
  };
  const before = (await servicesSeconds(services, folder)).at(-1);
  const seconds = await concurrently(clients, creates, insert);
  const cpu = (1_000 * ((await servicesSeconds(services, folder)).at(-1) - before)) / creates;
  await pool.end();
  return { rate: creates / seconds, cpu };
}
