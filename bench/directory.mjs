// `npm run bench`: the directory with all four real services, each figure next to the limit measured in the same run.
//
// Uses DATABASE_URL and AMQP_URL, by default an embedded PostgreSQL and its queues.
// BENCH_RECORDS (100000; the targets are for 1000000), BENCH_SECONDS (5 per measurement of pages).
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { decodeId } from '../libs/contracts/dist/index.js';
import { bareImport } from './support/bare-import.mjs';
import { withBenchDatabase } from './support/bench-database.mjs';
import { FourServices, freePort } from './support/four-services.mjs';
import { load } from './support/load.mjs';
import { peopleConnector, writePeople } from './support/people.mjs';
import { printTable } from './support/table.mjs';

const records = Number(process.env.BENCH_RECORDS ?? 100_000);
const seconds = Number(process.env.BENCH_SECONDS ?? 5);
const step = records / 10;

await withBenchDatabase(async ({ url, folder }) => {
  const file = join(folder, 'people.csv');
  await writePeople(file, records);
  const services = await FourServices.start(url, folder);
  try {
    const { tenant, key, connector } = await prepare(services);
    process.stdout.write(`queues: ${process.env.AMQP_URL ? 'RabbitMQ' : 'PostgreSQL'}; ${records} users\n`);

    const first = await services.sync(tenant, connector, step);
    const bareCount = Math.min(records, 100_000);
    const bare = bareCount / (await bareImport(url, decodeId('tenant', tenant), bareCount));
    const again = await services.sync(tenant, connector);
    await writePeople(file, records, (n) => n % 20 === 0);
    const changed = await services.sync(tenant, connector);
    const rate = ({ seconds: taken }) => Math.round(records / taken);
    const last = first.steps.length === 10 ? first.steps[9] : undefined;
    printTable('Sync', [
      ['what', 'records/s', 'vs limit', 'target'],
      ['first import', rate(first), percent(rate(first), bare), '2000 and 50 %'],
      ['the same rows by bare SQL', Math.round(bare)],
      ['unchanged', rate(again), '', '20000'],
      ['5 % changed', rate(changed), '', '12000'],
      [
        'the last tenth',
        last && Math.round(step / last),
        last && `${percent(first.steps[0], last)} of the first tenth`,
        '80 %',
      ],
    ]);
    printTable('Import rate over time', [
      ['records', 'records/s'],
      ...first.steps.map((taken, at) => [String((at + 1) * step), String(Math.round(step / taken))]),
    ]);
    printTable('Pages of 50', await pages(url, services, tenant, key));
    printTable('Peak memory, MB (target: 300)', await services.memory());
  } finally {
    await services.stop();
  }
});

function percent(part, whole) {
  return `${((100 * part) / whole).toFixed(0)} %`;
}

async function prepare(services) {
  const { id: tenant } = await services.operator('POST', '/tenants', { name: 'Bench' });
  const { key } = await services.operator('POST', `/tenants/${tenant}/api-keys`, { name: 'bench' });
  const { id: connector } = await services.operator('POST', `/tenants/${tenant}/connectors`, peopleConnector);
  return { tenant, key, connector };
}

async function pages(url, services, tenant, key) {
  const barePort = await freePort();
  const path = fileURLToPath(new URL('support/bare-reads.mjs', import.meta.url));
  const bare = spawn(process.execPath, [path, url, String(barePort), decodeId('tenant', tenant)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(bare.stdout, 'data');
  const table = [['status', 'offset', 'KB', 'pages/s', 'bare Fastify', 'vs bare (80 %)', 'vs offset 0 (67 %)']];
  try {
    for (const status of [undefined, 'active']) {
      let top;
      for (const offset of [0, 0.09 * records, 0.9 * records].map(Math.floor)) {
        const words = `limit=50&offset=${offset}${status ? `&status=${status}` : ''}`;
        const limit = await load(`http://127.0.0.1:${barePort}/v1/identities?${words}`, seconds);
        const page = await load(`${services.base}/v1/identities?${words}`, seconds, { 'X-API-Key': key });
        top ??= page.rate;
        table.push([
          status ?? 'any',
          String(offset),
          Math.round(page.bytes / 1024),
          page.rate.toFixed(0),
          limit.rate.toFixed(0),
          percent(page.rate, limit.rate),
          percent(page.rate, top),
        ]);
      }
    }
  } finally {
    bare.kill('SIGTERM');
    await once(bare, 'exit');
  }
  return table;
}
