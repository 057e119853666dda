// `npm run bench:isolation`: how much endpoints that hang, throttle or refuse delay the other endpoints of their
// tenant, from the commit of an event to the 2xx. Rounds with and without them alternate, so that both run under the
// same conditions.
//
// Uses DATABASE_URL and AMQP_URL; without the first an embedded PostgreSQL, without the second PostgreSQL queues.
// BENCH_SECONDS (10 per round), BENCH_ROUNDS (5), BENCH_RATE (6 events a second, each for 50 webhooks).
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { withBenchDatabase } from './support/bench-database.mjs';
import { DeliveryRun } from './support/delivery-run.mjs';
import { printTable } from './support/table.mjs';

const seconds = Number(process.env.BENCH_SECONDS ?? 10);
const rounds = Number(process.env.BENCH_ROUNDS ?? 5);
const rate = Number(process.env.BENCH_RATE ?? 6);
const healthy = 50;
const most = 2;

await withBenchDatabase(async ({ url }) => {
  const bad = fork(fileURLToPath(new URL('support/bad-receivers.mjs', import.meta.url)));
  const [{ ports }] = await once(bad, 'message');
  const delivery = await DeliveryRun.start(url, process.env.AMQP_URL);
  const times = { without: [], with: [] };
  try {
    for (let round = 0; round < rounds; round += 1) {
      // Alternate which kind of round comes first.
      const order = round % 2 === 0 ? ['without', 'with'] : ['with', 'without'];
      for (const kind of order) times[kind].push(await measure(delivery, kind === 'with' ? ports : {}));
    }
  } finally {
    await delivery.stop();
    bad.kill();
  }
  print(ports, times);
});

/** Returns the milliseconds from commit to 2xx at the healthy endpoints, sorted. */
async function measure(delivery, ports) {
  for (const port of Object.values(ports)) await delivery.webhooks(1, `http://127.0.0.1:${port}/hook`);
  await delivery.webhooks(healthy);
  delivery.startDispatcher();
  await delivery.commit(20);
  await delivery.until(20 * healthy);
  await delivery.arrivals();
  const count = rate * seconds;
  const began = performance.now();
  for (let n = 0; n < count; n += 1) {
    const due = began + (1_000 * n) / rate - performance.now();
    if (due > 0) await new Promise((resolve) => setTimeout(resolve, due));
    await delivery.commit(1);
  }
  await delivery.until(count * healthy);
  const took = (await delivery.arrivals()).map(({ ms }) => ms).sort((a, b) => a - b);
  await delivery.stopDispatcher();
  await delivery.noWebhooks();
  return took;
}

function print(ports, { without, with: beside }) {
  const at = (times, part) => times[Math.floor(part * (times.length - 1))];
  const table = [['', 'p50', 'p95', 'p99', 'p99 per round']];
  const row = (name, all) => {
    const medians = [0.5, 0.95, 0.99].map((part) => median(all.map((times) => at(times, part))).toFixed(1));
    table.push([name, ...medians, all.map((times) => at(times, 0.99).toFixed(0)).join(' ')]);
  };
  row(`${healthy} healthy webhooks`, without);
  row(`beside ${Object.keys(ports).join(', ')}`, beside);
  printTable(
    `From the commit to the 2xx at healthy endpoints, ms; medians of ${rounds} rounds at ${rate} events/s`,
    table,
  );
  const p99 = (all) => median(all.map((times) => at(times, 0.99)));
  process.stdout.write(
    `  p99 with bad endpoints: ${(p99(beside) / p99(without)).toFixed(2)} times (target: ${most})\n`,
  );
}

function median(numbers) {
  return [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)];
}
