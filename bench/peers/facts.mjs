// One fact after the other to a webhook: latency, and CPU of all processes with this one, which commits the facts.
import { postgresSeconds } from '../support/cpu-time.mjs';
import { atRate, median, percentile } from '../support/statistics.mjs';
import { printTable } from '../support/table.mjs';
import { withQueues } from './queues.mjs';

const perSecond = 50;

export async function measure(bench) {
  const facts = perSecond * (bench.short ? 4 : 8);
  return withQueues(bench, async (systems) => {
    const results = new Map(systems.map((system) => [system, []]));
    for (const system of systems) {
      await system.startWorker();
      await measured(bench, system, 200, 4 * perSecond);
    }
    for (let round = 0; round < bench.rounds; round += 1) {
      for (const [system, measurements] of results) {
        measurements.push(await measured(bench, system, facts, perSecond));
      }
    }
    for (const system of systems) await system.stopWorker();
    const rows = [...results].map(([{ name }, measurements]) => {
      const p95 = median(measurements.map(({ times }) => percentile(times, 0.95)));
      return {
        name,
        p50: median(measurements.map(({ times }) => percentile(times, 0.5))),
        p95,
        cpu: median(measurements.map(({ cpu }) => cpu)),
      };
    });
    const [idsync] = rows;
    printTable(`Facts to one webhook at ${perSecond}/s, median of ${bench.rounds} rounds of ${facts}`, [
      ['system', 'p50, ms', 'p95, ms', 'CPU s per 1000', 'p95 idsync : peer', 'CPU idsync : peer'],
      ...rows.map(({ name, p50, p95, cpu }) => [
        name,
        p50.toFixed(1),
        p95.toFixed(1),
        cpu.toFixed(2),
        (idsync.p95 / p95).toFixed(2),
        (idsync.cpu / cpu).toFixed(2),
      ]),
    ]);
    return rows.slice(1).map(({ name, cpu }) => [`facts: CPU, ${name}`, cpu / idsync.cpu]);
  });
}

async function measured({ folder }, system, count, rate) {
  await system.arrivals();
  const used = async () => (await system.cpu()) + (await postgresSeconds(folder)) + ownSeconds();
  const before = await used();
  await atRate(count, rate, () => system.commit());
  await system.until(count);
  const cpu = (1_000 * ((await used()) - before)) / count;
  return { cpu, times: (await system.arrivals()).map(({ ms }) => ms) };
}

function ownSeconds() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}
