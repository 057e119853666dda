// `npm run bench:cpu`: CPU seconds of an import by process, which noise on the machine changes less than rates.
//
// Uses AMQP_URL, by default queues in PostgreSQL, and always an embedded PostgreSQL. BENCH_RECORDS (20000).
import { join } from 'node:path';
import { withBenchDatabase } from './support/bench-database.mjs';
import { servicesSeconds } from './support/cpu-time.mjs';
import { FourServices } from './support/four-services.mjs';
import { peopleConnector, writePeople } from './support/people.mjs';
import { printTable } from './support/table.mjs';

const records = Number(process.env.BENCH_RECORDS ?? 20_000);
delete process.env.DATABASE_URL;

await withBenchDatabase(async ({ url, folder }) => {
  const file = join(folder, 'people.csv');
  await writePeople(file, records);
  const services = await FourServices.start(url, folder);
  const table = [['run', 'seconds', ...services.children.keys(), 'PostgreSQL', 'all']];
  try {
    const { id: tenant } = await services.operator('POST', '/tenants', { name: 'Bench' });
    const { id: connector } = await services.operator('POST', `/tenants/${tenant}/connectors`, peopleConnector);
    const run = async (name) => {
      const before = await servicesSeconds(services, folder);
      const { seconds } = await services.sync(tenant, connector);
      // Comparisons by fuzzy match follow the end of the job.
      await new Promise((resolve) => setTimeout(resolve, 3_000));
      const after = await servicesSeconds(services, folder);
      const used = after.map((value, at) => value - before[at]);
      const all = used.reduce((sum, value) => sum + value, 0);
      table.push([name, seconds.toFixed(1), ...used.map((value) => value.toFixed(2)), all.toFixed(2)]);
    };
    await run('first import');
    await run('unchanged');
    await writePeople(file, records, (n) => n % 20 === 0);
    await run('5 % changed');
    printTable(`CPU seconds for ${records} people`, table);
  } finally {
    await services.stop();
  }
});
