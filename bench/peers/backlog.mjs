// Deliveries that were due before the worker starts, to one webhook and to ten.
import { postgresSeconds } from '../support/cpu-time.mjs';
import { median } from '../support/statistics.mjs';
import { printTable } from '../support/table.mjs';
import { withQueues } from './queues.mjs';

/** The first deliveries open the connections. */
const notMeasured = 100;

export async function measure(bench) {
  const due = bench.short ? 2_000 : 5_000;
  return withQueues(bench, async (systems) => {
    const cases = [1, 10].map((webhooks) => ({ webhooks, results: new Map(systems.map((system) => [system, []])) }));
    for (let round = 0; round < bench.rounds; round += 1) {
      for (const { webhooks, results } of cases) {
        for (const [system, measurements] of results) measurements.push(await measured(bench, system, due, webhooks));
      }
    }
    return report(bench, due, cases);
  });
}

async function measured({ folder }, system, due, webhooks) {
  await system.fillBacklog(due, webhooks);
  await system.arrivals();
  const used = async () => (await system.cpu()) + (await postgresSeconds(folder));
  await system.startWorker();
  await system.until(notMeasured);
  const before = { cpu: await used(), count: (await system.receiver.ask('count')).count };
  await system.until(due);
  const cpu = (1_000 * ((await used()) - before.cpu)) / (due - before.count);
  const arrived = (await system.arrivals()).map(({ at }) => at).sort((a, b) => a - b);
  await system.stopWorker();
  return { cpu, rate: (1_000 * (due - notMeasured)) / (arrived[due - 1] - arrived[notMeasured - 1]) };
}

function report({ rounds }, due, cases) {
  const rows = cases.flatMap(({ webhooks, results }) =>
    [...results].map(([{ name }, measurements]) => {
      const of = (field) => median(measurements.map((each) => each[field]));
      return { webhooks, name, rate: of('rate'), cpu: of('cpu') };
    }),
  );
  const idsyncOf = (webhooks) => rows.find((row) => row.name === 'idsync' && row.webhooks === webhooks);
  printTable(`Deliveries of a backlog of ${due}, median of ${rounds} rounds`, [
    ['webhooks', 'system', 'deliveries/s', 'CPU s per 1000', 'rate idsync : peer', 'CPU idsync : peer'],
    ...rows.map(({ webhooks, name, rate, cpu }) => [
      webhooks,
      name,
      rate.toFixed(0),
      cpu.toFixed(2),
      (idsyncOf(webhooks).rate / rate).toFixed(2),
      (idsyncOf(webhooks).cpu / cpu).toFixed(2),
    ]),
  ]);
  return rows
    .filter(({ name }) => name !== 'idsync')
    .map(({ webhooks, name, cpu }) => [`backlog: CPU, webhooks ${webhooks}, ${name}`, cpu / idsyncOf(webhooks).cpu]);
}
