// `npm run bench:filters`: the time of lists with filters among a million people, beside the same statement on a bare
// connection.
//
// Uses the PostgreSQL of DATABASE_URL, by default an embedded one. BENCH_RECORDS (1000000). With `-- --keep`, the people
// stay for the next run, which then takes a minute; `-- --drop` drops them.
import { filterDocuments, filterQuery } from '../libs/database/dist/gateway/index.js';
import { Database } from '../libs/database/dist/index.js';
import { bareConnection } from './support/bare-connection.mjs';
import { begin, changedAt, records, tenant, withPeople } from './support/filled-people.mjs';
import { backendPid, describeLoad, headings, measure } from './support/query-times.mjs';
import { printTable } from './support/table.mjs';

const page = { limit: 50, offset: 0 };

await withPeople(async ({ url }) => {
  const database = await Database.connect({ url, service: 'gateway', poolSize: 1 });
  const bare = await bareConnection(url);
  const pid = await backendPid((text) => database.read(tenant, { name: 'pid', text, values: [] }));
  const barePid = await backendPid(async (text) => (await bare.query(text)).rows);
  const [{ manager }] = (await bare.query('select manager_id as manager from source_records limit 1')).rows;
  const table = [['filter', 'people', ...headings]];
  const nth = (round) => (round * 7919) % records;
  const middle = { createdAt: begin + Math.floor(records / 2_000) * 400, id: tenant, along: 0 };
  const filters = [
    ['a unique attribute', '1', (n) => ({ attributes: { badge: String(n) } }), 0],
    ['an attribute', String(Math.ceil(records / 1_000)), (n) => ({ attributes: { site: String(n % 1_000) } }), 0],
    ['a manager', '10', () => ({ managerId: manager }), 0],
    ['a department', String(records / 20), (n) => ({ department: `dep ${n % 20}` }), 0],
    ['a department, in the middle', '', (n) => ({ department: `dep ${n % 20}`, after: middle }), 0],
    ['a source', String(records), () => ({ sourceId: tenant }), 0],
    ['a source and a rare status', '', () => ({ sourceId: tenant, status: 'suspended' }), 1],
    ['a source and a hundred changes', '', () => ({ sourceId: tenant, updatedSince: changedAt }), 1],
    [
      'a department and an attribute',
      '',
      (n) => ({ department: `dep ${n % 20}`, attributes: { site: String(n % 1_000) } }),
      0,
    ],
    [
      'a department and an attribute of nobody',
      '',
      (n) => ({ department: `dep ${(n + 1) % 20}`, attributes: { site: String(n % 1_000) } }),
      0,
    ],
  ];
  for (const resource of ['identity', 'user']) {
    for (const [name, people, filter, along] of filters) {
      const query = (round) => ({ ...page, ...filter(nth(round)) });
      const through = await measure(pid, (round) => filterDocuments(database, tenant, resource, query(round)));
      const direct = await measure(barePid, (round) => bare.query(filterQuery(tenant, resource, query(round), along)));
      table.push([`${resource}: ${name}`, people, through.p50, through.p95, direct.p95, through.cpu, '10']);
    }
  }
  printTable(`Lists with filters among ${records} people; ${describeLoad()}`, table);
  await bare.end();
  await database.close();
});
