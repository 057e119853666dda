// `npm run bench:cpu`: CPU seconds of an import by process, which noise on the machine changes less than rates.
//
// Uses AMQP_URL, by default queues in PostgreSQL, and always an embedded PostgreSQL. BENCH_RECORDS (20000).
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { withBenchDatabase } from './support/bench-database.mjs';
import { FourServices } from './support/four-services.mjs';
import { peopleConnector, peopleHeader, personRow } from './support/people.mjs';
import { printTable } from './support/table.mjs';

const records = Number(process.env.BENCH_RECORDS ?? 20_000);
delete process.env.DATABASE_URL;

await withBenchDatabase(async ({ url, folder }) => {
  const file = join(folder, 'people.csv');
  await writePeople(file, () => false);
  const services = await FourServices.start(url, folder);
  const table = [['run', 'seconds', ...services.children.keys(), 'PostgreSQL', 'all']];
  try {
    const { id: tenant } = await services.operator('POST', '/tenants', { name: 'Bench' });
    const { id: connector } = await services.operator('POST', `/tenants/${tenant}/connectors`, peopleConnector);
    const run = async (name) => {
      const before = await cpuSeconds(services, folder);
      const { seconds } = await services.sync(tenant, connector);
      // Comparisons by fuzzy match follow the end of the job.
      await new Promise((resolve) => setTimeout(resolve, 3_000));
      const after = await cpuSeconds(services, folder);
      const used = after.map((value, at) => value - before[at]);
      const all = used.reduce((sum, value) => sum + value, 0);
      table.push([name, seconds.toFixed(1), ...used.map((value) => value.toFixed(2)), all.toFixed(2)]);
    };
    await run('first import');
    await run('unchanged');
    await writePeople(file, (n) => n % 20 === 0);
    await run('5 % changed');
    printTable(`CPU seconds for ${records} people`, table);
  } finally {
    await services.stop();
  }
});

async function writePeople(path, isChanged) {
  const rows = Array.from({ length: records }, (_, n) =>
    personRow(n, `${isChanged(n) ? 'Senior ' : ''}Engineer ${n % 97}`),
  );
  await writeFile(path, `${[peopleHeader, ...rows].join('\n')}\n`);
}

/** Returns user and system time of each service, and of PostgreSQL with all its processes, also ended ones. */
async function cpuSeconds(services, folder) {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const stats = (await Promise.all(pids.map(readStat))).filter(Boolean);
  const postmaster = Number((await readFile(join(folder, 'data/postgres/postmaster.pid'), 'utf8')).split('\n')[0]);
  const own = ({ pid }) => stats.find((stat) => stat.pid === pid);
  const used = [...services.children.values()].map((child) => own(child).used);
  const database = stats
    .filter(({ pid, parent }) => pid === postmaster || parent === postmaster)
    .reduce((sum, { used, ended }) => sum + used + ended, 0);
  return [...used, database];
}

async function readStat(pid) {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  const [, parent, , , , , , , , , , user, system, endedUser, endedSystem] = text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ');
  return { pid, parent: Number(parent), used: seconds(user, system), ended: seconds(endedUser, endedSystem) };
}

function seconds(...ticks) {
  return ticks.reduce((sum, value) => sum + Number(value), 0) / 100;
}
