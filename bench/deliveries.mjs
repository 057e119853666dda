// `npm run bench:deliveries`: time from the commit of an event to the 2xx of its receiver, compared with the bare HTTP
// client.
//
// Uses DATABASE_URL and AMQP_URL; without the first an embedded PostgreSQL, without the second only the PostgreSQL
// queues are measured. BENCH_FACTS (20000), BENCH_SECONDS (10 per rate), BENCH_BACKLOG (1000000), BENCH_ONLY
// (throughput,latency,backlog).
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { withBenchDatabase } from './support/bench-database.mjs';
import { DeliveryRun } from './support/delivery-run.mjs';
import { printTable } from './support/table.mjs';

const facts = Number(process.env.BENCH_FACTS ?? 20_000);
const seconds = Number(process.env.BENCH_SECONDS ?? 10);
const backlog = Number(process.env.BENCH_BACKLOG ?? 1_000_000);
const only = process.env.BENCH_ONLY?.split(',');
const rounds = 3;
const bodyBytes = 1_600;
const run = promisify(execFile);
const measured = (what) => !only || only.includes(what);

const drivers = process.env.AMQP_URL ? [process.env.AMQP_URL, undefined] : [undefined];
for (const amqpUrl of drivers) {
  await withBenchDatabase(async ({ url }) => {
    process.stdout.write(`\nqueues: ${amqpUrl ? 'RabbitMQ' : 'PostgreSQL'}\n`);
    const delivery = await DeliveryRun.start(url, amqpUrl);
    try {
      const rate = measured('throughput') ? await throughput(delivery) : 2_000;
      if (measured('latency')) await latency(delivery, rate);
      if (measured('backlog') && amqpUrl === drivers[0]) await backlogs(delivery);
    } finally {
      await delivery.stop();
    }
  });
}

async function throughput(delivery) {
  const table = [['webhooks', 'events', 'deliveries/s', 'bare client', 'vs bare (40 %)']];
  let least = Number.POSITIVE_INFINITY;
  for (const webhooks of [1, 10]) {
    await delivery.webhooks(webhooks);
    delivery.startDispatcher();
    await warmUp(delivery, webhooks);
    const rates = [];
    const limits = [];
    for (let round = 0; round < rounds; round += 1) {
      limits.push(await bare(delivery, 64 * Math.min(webhooks, 4)));
      rates.push(await burst(delivery, facts / webhooks, webhooks));
    }
    const rate = median(rates);
    least = Math.min(least, rate);
    table.push([webhooks, facts / webhooks, rate.toFixed(0), median(limits).toFixed(0), share(rate, median(limits))]);
    await delivery.stopDispatcher();
    await delivery.noWebhooks();
  }
  printTable(`Throughput, median of ${rounds} (target: 1500/s)`, table);
  return least;
}

/** Commits events as an import does; returns deliveries/s from the first commit to the last 2xx. */
async function burst(delivery, count, webhooks) {
  await delivery.arrivals();
  let began;
  for (let left = count; left > 0; left -= 500) {
    const at = await delivery.commit(Math.min(left, 500));
    began ??= at;
  }
  await delivery.until(count * webhooks);
  const arrived = await delivery.arrivals();
  return (1_000 * count * webhooks) / (Math.max(...arrived.map(({ at }) => at)) - began);
}

async function latency(delivery, rate) {
  const table = [['events/s', 'p50', 'p95', 'p99', 'max', 'target']];
  await delivery.webhooks(1);
  delivery.startDispatcher();
  await warmUp(delivery, 1);
  for (const perSecond of [50, 200, Math.round(rate / 10)]) {
    const times = (await atRate(delivery, perSecond)).sort((a, b) => a - b);
    const at = (part) => times[Math.floor(part * (times.length - 1))].toFixed(1);
    table.push([perSecond, at(0.5), at(0.95), at(0.99), at(1), perSecond <= 200 ? 'p95 60' : '']);
  }
  await delivery.stopDispatcher();
  await delivery.noWebhooks();
  printTable('From the commit to the 2xx, ms; one event per transaction', table);
}

/** Commits at a fixed rate, so that a slow delivery does not delay the next commit. */
async function atRate(delivery, perSecond) {
  await delivery.arrivals();
  const count = perSecond * seconds;
  const began = performance.now();
  const commits = [];
  for (let n = 0; n < count; n += 1) {
    const due = began + (1_000 * n) / perSecond;
    if (due > performance.now()) await pause(due - performance.now());
    commits.push(delivery.commit(1));
  }
  await Promise.all(commits);
  await delivery.until(count);
  return (await delivery.arrivals()).map(({ ms }) => ms);
}

/** Measures the same number of deliveries with a small and a large backlog. */
async function backlogs(delivery) {
  const table = [['due', 'delivered', 'deliveries/s', 'vs smallest']];
  let first;
  for (const due of [1_000, 10_000, 100_000, backlog]) {
    const rates = [];
    for (let round = 0; round < rounds; round += 1) {
      const [webhook] = await delivery.webhooks(1);
      await delivery.fillBacklog(webhook, due);
      const count = Math.min(due, 10_000);
      delivery.startDispatcher();
      await delivery.until(count);
      const arrived = (await delivery.arrivals()).map(({ at }) => at).sort((a, b) => a - b);
      // The first hundred deliveries open the connections.
      rates.push((1_000 * (count - 100)) / (arrived[count - 1] - arrived[99]));
      await delivery.stopDispatcher();
      await delivery.arrivals();
      await delivery.noWebhooks();
    }
    first ??= median(rates);
    table.push([due, Math.min(due, 10_000), median(rates).toFixed(0), share(median(rates), first)]);
  }
  printTable(`Deliveries with a backlog, median of ${rounds}`, table);
}

async function warmUp(delivery, webhooks) {
  await delivery.arrivals();
  for (let n = 0; n < 4; n += 1) await delivery.commit(200);
  await delivery.until(800 * webhooks);
  await delivery.arrivals();
}

async function bare(delivery, atOnce) {
  const program = fileURLToPath(new URL('support/bare-deliveries.mjs', import.meta.url));
  const { stdout } = await run(process.execPath, [program, delivery.receiverUrl, facts, atOnce, bodyBytes].map(String));
  await delivery.arrivals();
  return Number(stdout);
}

function median(numbers) {
  return [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)];
}

function share(part, whole) {
  return `${((100 * part) / whole).toFixed(0)} %`;
}

function pause(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
