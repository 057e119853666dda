// `npm run bench:growth`: how an import changes while the directory grows: rate, CPU, space and dead rows of each tenth,
// and of each table at the end.
//
// Uses AMQP_URL, by default queues in PostgreSQL, and always an embedded PostgreSQL. BENCH_RECORDS (1000000; ten million
// need 80 GB of disk). Prints each figure as soon as it is known.
import { join } from 'node:path';
import { bareConnection } from './support/bare-connection.mjs';
import { withBenchDatabase } from './support/bench-database.mjs';
import { servicesSeconds } from './support/cpu-time.mjs';
import { FourServices } from './support/four-services.mjs';
import { peopleConnector, writePeople } from './support/people.mjs';
import { describeLoad, sum } from './support/statistics.mjs';
import { printTable } from './support/table.mjs';

const records = Number(process.env.BENCH_RECORDS ?? 1_000_000);
const step = Math.floor(records / 10);
const gigabyte = 2 ** 30;
delete process.env.DATABASE_URL;

await withBenchDatabase(async ({ url, folder }) => {
  const file = join(folder, 'people.csv');
  await writePeople(file, records);
  const services = await FourServices.start(url, folder);
  const admin = await bareConnection(url);
  try {
    const { id: tenant } = await services.operator('POST', '/tenants', { name: 'Bench' });
    const { id: connector } = await services.operator('POST', `/tenants/${tenant}/connectors`, peopleConnector);
    process.stdout.write(`${records} people; ${describeLoad()}\n`);
    const run = { services, admin, folder, tenant, connector };
    await growing(run, 'first import');
    await space(admin);
    await growing(run, 'unchanged');
    await writePeople(file, records, (n) => n % 20 === 0);
    await growing(run, '5 % changed');
    await space(admin);
    printTable('Peak memory, MB', await services.memory());
  } finally {
    await admin.end();
    await services.stop();
  }
});

/** Prints a line for each tenth of a job. */
async function growing({ services, admin, folder, tenant, connector }, name) {
  const used = async () => sum(await servicesSeconds(services, folder));
  const start = await used();
  let before = start;
  printLine([name, 'records/s', 'CPU s per 1000', 'GB', 'dead rows', 'autovacuums']);
  const { seconds, steps } = await services.sync(tenant, connector, step, async (taken, job) => {
    const after = await used();
    const [{ bytes, dead, vacuums }] = await rowsOf(
      admin,
      `select pg_database_size(current_database())::float8 as bytes, sum(n_dead_tup)::int as dead,
              sum(autovacuum_count)::int as vacuums from pg_stat_user_tables`,
    );
    const cpu = (after - before) / (step / 1_000);
    before = after;
    printLine([job.records_applied, (step / taken).toFixed(0), cpu.toFixed(3), inGigabytes(bytes), dead, vacuums]);
  });
  const cpu = ((await used()) - start) / (records / 1_000);
  printLine(['all', (records / seconds).toFixed(0), cpu.toFixed(3)]);
  if (steps.length === 10) printLine(['last tenth : first tenth', (steps[0] / steps[9]).toFixed(2)]);
}

/** Prints the largest tables with their indexes, dead rows and vacuums. */
async function space(admin) {
  const tables = await rowsOf(
    admin,
    `select relname as name, pg_table_size(relid)::float8 as rows, pg_indexes_size(relid)::float8 as indexes,
            n_dead_tup::float8 as dead, n_live_tup::float8 as live, autovacuum_count as vacuums
       from pg_stat_user_tables order by pg_total_relation_size(relid) desc limit 14`,
  );
  printTable('Space', [
    ['table', 'rows GB', 'indexes GB', 'bytes a person', 'dead rows', 'of the live ones', 'autovacuums'],
    ...tables.map(({ name, rows, indexes, dead, live, vacuums }) => [
      name,
      inGigabytes(rows),
      inGigabytes(indexes),
      Math.round((rows + indexes) / records),
      dead,
      live > 0 ? `${((100 * dead) / live).toFixed(1)} %` : '',
      vacuums,
    ]),
  ]);
}

async function rowsOf(admin, text) {
  return (await admin.query(text)).rows;
}

function inGigabytes(bytes) {
  return (bytes / gigabyte).toFixed(2);
}

function printLine(cells) {
  process.stdout.write(`  ${cells.map((cell) => String(cell).padEnd(24)).join('')}\n`);
}
