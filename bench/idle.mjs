// `npm run bench:idle`: CPU of idle services with many tenants, and the time of one small job of each of twenty tenants.
//
// Uses AMQP_URL, by default queues in PostgreSQL, and always an embedded PostgreSQL. BENCH_TENANTS (1000), each with three
// scheduled connectors, BENCH_SECONDS (60).
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { encodeId } from '../libs/contracts/dist/index.js';
import { findDueTenants } from '../libs/database/dist/directory/index.js';
import { DirectoryFixture } from '../libs/testing/dist/index.js';
import { withBenchDatabase } from './support/bench-database.mjs';
import { servicesSeconds } from './support/cpu-time.mjs';
import { FourServices } from './support/four-services.mjs';
import { peopleConnector, peopleHeader, personRow } from './support/people.mjs';
import { printTable } from './support/table.mjs';

const tenants = Number(process.env.BENCH_TENANTS ?? 1_000);
const seconds = Number(process.env.BENCH_SECONDS ?? 60);
const jobs = 20;
/** Limits the wait for the first work of new tenants, which is not idle. */
const settledWithinMs = 3_600_000;
/** One round of all periodic work. */
const roundMs = 35_000;
delete process.env.DATABASE_URL;

await withBenchDatabase(async ({ url, folder }) => {
  await writeFile(
    join(folder, 'people.csv'),
    [peopleHeader, ...Array.from({ length: 10 }, (_, n) => personRow(n, 'X'))].join('\n'),
  );
  const admin = DirectoryFixture.connect(url);
  await fill(admin);
  const services = await FourServices.start(url, folder);
  try {
    await settled(admin);
    const before = await servicesSeconds(services, folder);
    await pause(seconds * 1_000);
    const after = await servicesSeconds(services, folder);
    const shares = after.map((value, at) => `${((100 * (value - before[at])) / seconds).toFixed(2)} %`);
    printTable(`Share of a core, ${tenants} tenants with 3 scheduled connectors each, idle for ${seconds} s`, [
      [...services.children.keys(), 'PostgreSQL'],
      shares,
    ]);
    printTable(`${jobs} small jobs of ${jobs} tenants at once, seconds to the end of the last (target: 2)`, [
      ['first import', 'unchanged'],
      [(await runJobs(services, admin)).toFixed(1), (await runJobs(services, admin)).toFixed(1)],
    ]);
  } finally {
    await services.stop();
    await admin.close();
  }
});

/** Waits until no tenant has time-based work left, and for one round more. */
async function settled(admin) {
  for (const end = Date.now() + settledWithinMs; ; await pause(1_000)) {
    const { length: due } = await findDueTenants({ query: (text) => admin.rows(text) });
    if (due === 0) break;
    if (Date.now() > end) throw new Error(`${due} tenants still have work`);
  }
  await pause(roundMs);
}

async function fill(admin) {
  await admin.rows(
    `insert into tenants (id, name, created_at) select gen_random_uuid(), 'Tenant ' || n, now() - interval '1 day' from generate_series(1, $1::integer) n`,
    [tenants],
  );
  await admin.rows('insert into event_sequences (tenant_id, last) select id, 0 from tenants');
  await admin.rows(
    `insert into connectors (id, tenant_id, type, name, priority, records, config, schedule)
     select gen_random_uuid(), tenants.id, 'csv', 'Source ' || n, 100, 'user', $1, '{"cron": "0 3 1 1 *", "full_every": 100, "paused": false}'
       from tenants cross join generate_series(1, 3) n`,
    [JSON.stringify(peopleConnector.config)],
  );
  await admin.rows('analyze');
}

/** Triggers one job of each of some tenants at once. Returns the seconds until all have ended. */
async function runJobs(services, admin) {
  const rows = await admin.rows(
    `select distinct on (tenant_id) tenant_id as tenant, id from connectors order by tenant_id, id limit $1`,
    [jobs],
  );
  const began = performance.now();
  await Promise.all(rows.map(({ tenant, id }) => services.sync(encodeId('tenant', tenant), encodeId('connector', id))));
  return (performance.now() - began) / 1_000;
}

function pause(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
