// `npm run bench:gateways`: what clients notice while two gateways behind a load balancer are replaced in turn,
// compared with the same load on one and on two undisturbed gateways. Fails if a request fails, or if the throughput is
// below the limit.
//
// Uses DATABASE_URL, by default an embedded PostgreSQL; with AMQP_URL, jobs go through a temporary vhost.
// BENCH_RATE (1000 requests a second), BENCH_ROUNDS (2), BENCH_SECONDS (10 per undisturbed load).
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
/**
 * Minimum throughput relative to one gateway: one is always available, but a starting gateway takes CPU time from it.
 */
const minShare = 0.75;
/** Same value as in docker-compose.yml. */
const drainDelayMs = 5_000;

const table = [
  ['balancer', 'gateways', 'answered/s', 'vs one', 'p50 ms', 'p99 ms', 'max ms', 'late', 'failed', 'max stop s'],
];
const violations = [];
const vhost = hasBroker() ? await createVhost() : undefined;
try {
  for (const balancer of ['plain', 'haproxy']) {
    if (balancer === 'haproxy' && !hasHaproxy) process.stdout.write('haproxy is not installed: skipped\n');
    else await withBenchDatabase(({ url }) => compare(balancer, url));
  }
} finally {
  await vhost?.drop();
}
printTable(
  `${rate} requests/s offered, ${rounds} rounds, ${cpus().length} processors, load ${loadavg()[0].toFixed(1)}`,
  table,
);
for (const failure of violations) process.stdout.write(`${failure}\n`);
if (violations.length > 0) process.exitCode = 1;

async function compare(balancer, databaseUrl) {
  const rolling = await RollingGateways.start({ databaseUrl, amqpUrl: vhost?.url, balancer, drainDelayMs });
  try {
    const undisturbed = () => rolling.underLoad(rate, () => pause(seconds * 1_000));
    const two = await undisturbed();
    const replaced = await rolling.underLoad(rate, () => rolling.replaceInTurn('SIGTERM', rounds));
    await rolling.gateways[1].end('SIGTERM');
    const one = await undisturbed();
    const share = (report) => perSecond(report) / perSecond(one);
    addRow(balancer, 'one, undisturbed', one, share(one));
    addRow(balancer, 'two, undisturbed', two, share(two));
    addRow(balancer, 'two, replaced in turn', replaced, share(replaced));
    if (share(replaced) < minShare)
      violations.push(
        `${balancer}: ${share(replaced).toFixed(2)} of the throughput of one gateway during replacement, expected at least ${minShare}`,
      );
    for (const { code } of replaced.done) if (code !== 0) violations.push(`${balancer}: a gateway ended with ${code}`);
  } finally {
    await rolling.stop();
  }
}

function addRow(balancer, what, report, share) {
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
  for (const { path, failure } of failures.slice(0, 5)) violations.push(`${balancer}, ${what}: ${path}: ${failure}`);
  if (unanswered > 0) violations.push(`${balancer}, ${what}: ${unanswered} requests were not answered`);
  if (jobs !== triggers.length) violations.push(`${balancer}, ${what}: ${triggers.length} triggers made ${jobs} jobs`);
}

function perSecond({ answered, seconds }) {
  return answered / seconds;
}
