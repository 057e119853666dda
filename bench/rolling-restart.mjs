// `npm run bench:gateways`: what callers notice while two gateways behind a load balancer are replaced one after another, beside the
// same load on one gateway and on two that are left alone. Fails if a request fails, or where less is answered than the limit says.
//
// DATABASE_URL chooses the PostgreSQL, without it an embedded one is used; with AMQP_URL the jobs go through a vhost of their own.
// BENCH_RATE (1000 requests a second are offered), BENCH_ROUNDS (2), BENCH_SECONDS (10, of each load that is left alone).
import { cpus, loadavg } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { createVhost, hasBroker } from '../libs/testing/dist/index.js';
import { hasHaproxy } from './support/balancers.mjs';
import { withBenchDatabase } from './support/bench-database.mjs';
import { RollingGateways } from './support/rolling-gateways.mjs';
import { printTable } from './support/table.mjs';

const rate = Number(process.env.BENCH_RATE ?? 1_000);
const rounds = Number(process.env.BENCH_ROUNDS ?? 2);
const seconds = Number(process.env.BENCH_SECONDS ?? 10);
/** Of what one gateway answers in a second, for one is always there; another one that starts takes processors away from it. */
const leastShare = 0.75;
/** As in docker-compose.yml. */
const drainDelayMs = 5_000;

const table = [
  ['balancer', 'gateways', 'answered/s', 'of one', 'p50 ms', 'p99 ms', 'longest ms', 'late', 'failed', 'longest end s'],
];
const complaints = [];
const vhost = hasBroker() ? await createVhost() : undefined;
try {
  for (const balancer of ['plain', 'haproxy']) {
    if (balancer === 'haproxy' && !hasHaproxy) process.stdout.write('haproxy is not installed: left out\n');
    else await withBenchDatabase(({ url }) => compare(balancer, url));
  }
} finally {
  await vhost?.drop();
}
printTable(
  `${rate} requests/s offered, ${rounds} rounds, ${cpus().length} processors, load ${loadavg()[0].toFixed(1)}`,
  table,
);
for (const complaint of complaints) process.stdout.write(`${complaint}\n`);
if (complaints.length > 0) process.exitCode = 1;

async function compare(balancer, databaseUrl) {
  const rolling = await RollingGateways.start({ databaseUrl, amqpUrl: vhost?.url, balancer, drainDelayMs });
  try {
    const leftAlone = () => rolling.underLoad(rate, () => pause(seconds * 1_000));
    const two = await leftAlone();
    const replaced = await rolling.underLoad(rate, () => rolling.replaceInTurn('SIGTERM', rounds));
    await rolling.gateways[1].end('SIGTERM');
    const one = await leftAlone();
    const share = (report) => perSecond(report) / perSecond(one);
    tell(balancer, 'one, left alone', one, share(one));
    tell(balancer, 'two, left alone', two, share(two));
    tell(balancer, 'two, replaced in turn', replaced, share(replaced));
    if (share(replaced) < leastShare)
      complaints.push(
        `${balancer}: ${share(replaced).toFixed(2)} of what one gateway answers, and not ${leastShare}, while they are replaced`,
      );
    for (const { code } of replaced.done) if (code !== 0) complaints.push(`${balancer}: a gateway ended with ${code}`);
  } finally {
    await rolling.stop();
  }
}

function tell(balancer, what, report, share) {
  const { latencyMs, late, failures, done, triggers, jobs, unanswered } = report;
  const longest = Math.max(0, ...(done ?? []).map((end) => end.seconds));
  const times = [latencyMs.p50, latencyMs.p99, latencyMs.most].map((ms) => ms.toFixed(1));
  table.push([
    balancer,
    what,
    perSecond(report).toFixed(0),
    share.toFixed(2),
    ...times,
    late,
    failures.length,
    longest.toFixed(1),
  ]);
  for (const { path, failure } of failures.slice(0, 5)) complaints.push(`${balancer}, ${what}: ${path}: ${failure}`);
  if (unanswered > 0) complaints.push(`${balancer}, ${what}: ${unanswered} requests were not answered`);
  if (jobs !== triggers.length) complaints.push(`${balancer}, ${what}: ${triggers.length} triggers made ${jobs} jobs`);
}

function perSecond({ answered, seconds }) {
  return answered / seconds;
}
