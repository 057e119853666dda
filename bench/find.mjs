// `npm run bench:find`: the time of a search among a million people, beside the same statement on a bare connection.
//
// Uses the PostgreSQL of DATABASE_URL, by default an embedded one. BENCH_RECORDS (1000000). With `-- --keep`, the people
// stay for the next run, which then takes a minute; `-- --drop` drops them.
import { listRecords, recordListQuery, searchDocuments, searchQuery } from '../libs/database/dist/gateway/index.js';
import { Database } from '../libs/database/dist/index.js';
import { bareConnection } from './support/bare-connection.mjs';
import { records, tenant, withPeople } from './support/filled-people.mjs';
import { backendPid, describeLoad, headings, measure } from './support/query-times.mjs';
import { printTable } from './support/table.mjs';

const page = { limit: 50, offset: 0 };

await withPeople(async ({ url }) => {
  const database = await Database.connect({ url, service: 'gateway', poolSize: 1 });
  const bare = await bareConnection(url);
  const pid = await backendPid((text) => database.read(tenant, { name: 'pid', text, values: [] }));
  const barePid = await backendPid(async (text) => (await bare.query(text)).rows);
  const table = [['search', ...headings]];
  const nth = (round) => (round * 7919) % records;
  const searches = [
    ['email', (n) => ({ values: { email: `p${n}@example.org` } }), 10],
    ['number', (n) => ({ values: { employee_number: String(n) } }), 10],
    ['email of another', () => ({ values: { email: 'nobody@example.org' } }), 10],
    ['q: first and last name', (n) => ({ text: `first${n % 3000} last${n % 20000}` }), 50],
    ['q: last name', (n) => ({ text: `last${n % 20000}` }), 50],
    ['q: a typo', (n) => ({ text: `lsat${n % 20000}` }), 50],
    ['q: matches all', () => ({ text: 'fi' }), 50],
    ['q: two words that all have', () => ({ text: 'fi la' }), 50],
    ['q: two frequent words of nobody', () => ({ text: 'first12 first13' }), 50],
  ];
  for (const [name, filter, target] of searches) {
    const query = (round) => ({ ...page, ...filter(nth(round)) });
    const through = await measure(pid, (round) => searchDocuments(database, tenant, 'identity', query(round)));
    const direct = await measure(barePid, (round) => bare.query(searchQuery(tenant, 'identity', query(round))));
    table.push([name, through.p50, through.p95, direct.p95, through.cpu, String(target)]);
  }
  const unmatched = { ...page, isMatched: false };
  const listed = await measure(pid, () => listRecords(database, tenant, 'account', unmatched));
  const direct = await measure(barePid, () => bare.query(recordListQuery(tenant, 'account', unmatched)));
  table.push(['unmatched accounts', listed.p50, listed.p95, direct.p95, listed.cpu, '10']);
  printTable(`Searches among ${records} people; ${describeLoad()}`, table);
  await bare.end();
  await database.close();
});
