// `npm run bench:single`: the cost of a change in its own transaction, from the commit to the 2xx of a webhook: an
// identity provider renames users one by one at a fixed rate, and a webhook receives an event for each.
//
// Uses AMQP_URL, by default queues in PostgreSQL, and always an embedded PostgreSQL. BENCH_RATE (50,200 per second),
// BENCH_FACTS (1000 for each rate), BENCH_ROUNDS (3).
import { bareConnection } from './support/bare-connection.mjs';
import { withBenchDatabase } from './support/bench-database.mjs';
import { cpuSeconds, listenerPid, servicesSeconds } from './support/cpu-time.mjs';
import { FourServices } from './support/four-services.mjs';
import { describeLoad } from './support/query-times.mjs';
import { ReceiverProcess } from './support/receiver-process.mjs';
import { applied, createProvider } from './support/scim-provider.mjs';
import { atRate, concurrently, median, pause, percentile, sum } from './support/statistics.mjs';
import { printTable } from './support/table.mjs';

const rates = (process.env.BENCH_RATE ?? '50,200').split(',').map(Number);
const facts = Number(process.env.BENCH_FACTS ?? 1_000);
const rounds = Number(process.env.BENCH_ROUNDS ?? 3);
const idleSeconds = 10;
const clients = 8;
const now = () => performance.timeOrigin + performance.now();
let nextName = 0;
delete process.env.DATABASE_URL;

await withBenchDatabase(async ({ url, folder }) => {
  const services = await FourServices.start(url, folder);
  const admin = await bareConnection(url);
  const receiver = await ReceiverProcess.start();
  const broker = process.env.AMQP_URL && (await listenerPid(Number(new URL(process.env.AMQP_URL).port || 5672)));
  const used = async () => [...(await servicesSeconds(services, folder)), broker ? await cpuSeconds(broker) : 0];
  const run = { services, admin, receiver, used };
  try {
    await createPeople(run);
    await measured(run, Math.max(...rates));
    const idle = await measuredIdle(run);
    const results = new Map(rates.map((rate) => [rate, []]));
    for (let round = 0; round < rounds; round += 1) {
      for (const [rate, measurements] of results) measurements.push(await measured(run, rate));
    }
    await run.provider.close();
    report(services, idle, results);
  } finally {
    receiver.stop();
    await admin.end();
    await services.stop();
  }
});

/** Creates as many users as a measurement renames, with one webhook for the events of their identities. */
async function createPeople(run) {
  const { services, admin, receiver } = run;
  const { id: tenant } = await services.operator('POST', '/tenants', { name: 'Bench' });
  run.provider = await createProvider(services, tenant, clients);
  run.ids = [];
  await concurrently(clients, facts, async (n) => {
    run.ids[n] = await run.provider.create(n);
  });
  await applied(services, tenant, admin, facts);
  await services.subscribe(tenant, { callback_url: receiver.url, events: ['identity.updated'] });
}

/** Renames each user once. CPU is counted until the sync jobs have ended. */
async function measured({ admin, receiver, used, provider, ids }, rate) {
  const first = nextName;
  nextName += ids.length;
  const answered = [];
  const before = [await used(), await counters(admin)];
  const began = now();
  await atRate(ids.length, rate, async (n) => {
    await provider.rename(ids[n], `Person ${first + n}`);
    answered[n] = now();
  });
  await receiver.until(ids.length);
  await jobsEnded(admin);
  const cpu = (await used()).map((seconds, at) => seconds - before[0][at]);
  const events = await eventsSince(admin, first);
  const arrivals = await receiver.times();
  const after = await counters(admin);
  const times = arrivals.map(([sequence, at]) => ({ ...events.get(sequence), at }));
  return {
    cpu,
    rate: (1_000 * ids.length) / (Math.max(...times.map(({ at }) => at)) - began),
    fromPush: times.map(({ at, name }) => at - answered[name - first]),
    fromEvent: times.map(({ at, occurredAt }) => at - occurredAt),
    jobs: after.jobs - before[1].jobs,
    commits: after.commits - before[1].commits,
  };
}

/** Returns the CPU of services without work for as many seconds as they are measured. */
async function measuredIdle({ used }) {
  const before = await used();
  await pause(idleSeconds * 1_000);
  return (await used()).map((seconds, at) => (seconds - before[at]) / idleSeconds);
}

async function jobsEnded(admin) {
  for (;;) {
    const { rows } = await admin.query(`select 1 from sync_jobs where status in ('queued', 'running') limit 1`);
    if (rows.length === 0) return;
    await pause(50);
  }
}

/** Returns time and number of the name by the sequence of the event. */
async function eventsSince(admin, first) {
  const { rows } = await admin.query(
    `select sequence::int, extract(epoch from occurred_at)::float * 1000 as at, name from events
       cross join lateral (select substring(details::text from '"to": "Person (\\d+)"')::int as name) as found
      where type = 'identity.updated' and name >= $1`,
    [first],
  );
  return new Map(rows.map(({ sequence, at, name }) => [sequence, { occurredAt: at, name }]));
}

async function counters(admin) {
  const { rows } = await admin.query(
    `select (select count(*)::int from sync_jobs) as jobs, (select xact_commit::int from pg_stat_database
       where datname = current_database()) as commits`,
  );
  return rows[0];
}

function report(services, idle, results) {
  const names = [...services.children.keys(), 'PostgreSQL', 'RabbitMQ'];
  const queues = process.env.AMQP_URL ? 'RabbitMQ' : 'PostgreSQL';
  process.stdout.write(`queues: ${queues}; ${describeLoad()}\n`);
  const seconds = (used) => [...used, sum(used)].map((each) => each.toFixed(2));
  const per = 1_000 / facts;
  printTable(`CPU seconds per 1000 changes, median of ${rounds} rounds of ${facts}`, [
    ['changes/s', ...names, 'all'],
    ...[...results].map(([rate, measurements]) => [
      rate,
      ...seconds(names.map((_, at) => per * median(measurements.map(({ cpu }) => cpu[at])))),
    ]),
    ...rates.map((rate) => [`idle ${1_000 / rate} s`, ...seconds(idle.map((share) => (share * 1_000) / rate))]),
  ]);
  const at = (times) => [0.5, 0.95, 0.99].map((share) => percentile(times, share).toFixed(1));
  printTable('From the commit to the 2xx of the webhook, ms; all rounds', [
    ['changes/s', 'from', 'p50', 'p95', 'p99', 'delivered/s', 'jobs', 'commits per change'],
    ...[...results].flatMap(([rate, measurements]) => {
      const of = (read) => median(measurements.map(read));
      const rest = [of(({ rate: reached }) => reached).toFixed(1), of(({ jobs }) => jobs)];
      const commits = (of((each) => each.commits) / facts).toFixed(1);
      return [
        [rate, 'SCIM answer', ...at(measurements.flatMap(({ fromPush }) => fromPush)), ...rest, commits],
        [rate, 'event', ...at(measurements.flatMap(({ fromEvent }) => fromEvent))],
      ];
    }),
  ]);
}
