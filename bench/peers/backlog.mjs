// Deliveries that were due before the worker starts, to one webhook and to ten.
import { median } from '../support/statistics.mjs';
import { printTable } from '../support/table.mjs';
import { withQueues } from './queues.mjs';

/** The first deliveries open the connections. */
const notMeasured = 100;

export async function measure(bench) {
  const due = bench.short ? 2_000 : 5_000;
  return withQueues(bench, async (systems) => {
    const cases = [1, 10].map((webhooks) => ({ webhooks, rates: new Map(systems.map(({ name }) => [name, []])) }));
    for (let round = 0; round < bench.rounds; round += 1) {
      for (const { webhooks, rates } of cases) {
        for (const system of systems) rates.get(system.name).push(await measured(system, due, webhooks));
      }
    }
    const rateOf = (rates, name) => median(rates.get(name));
    printTable(`Deliveries/s of a backlog of ${due}, median of ${bench.rounds} rounds`, [
      ['system', ...cases.flatMap(({ webhooks }) => [`webhooks: ${webhooks}`, 'idsync : peer'])],
      ...systems.map(({ name }) => [
        name,
        ...cases.flatMap(({ rates }) => [
          rateOf(rates, name).toFixed(0),
          (rateOf(rates, 'idsync') / rateOf(rates, name)).toFixed(2),
        ]),
      ]),
    ]);
    return cases.flatMap(({ webhooks, rates }) =>
      systems
        .slice(1)
        .map(({ name }) => [`backlog: ${webhooks} webhooks, ${name}`, rateOf(rates, 'idsync') / rateOf(rates, name)]),
    );
  });
}

async function measured(system, due, webhooks) {
  await system.fillBacklog(due, webhooks);
  await system.arrivals();
  await system.startWorker();
  await system.until(due);
  const arrived = (await system.arrivals()).map(({ at }) => at).sort((a, b) => a - b);
  await system.stopWorker();
  return (1_000 * (due - notMeasured)) / (arrived[due - 1] - arrived[notMeasured - 1]);
}
