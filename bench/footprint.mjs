// `npm run bench:footprint`: memory and PostgreSQL connections of the four services, at rest and under load, and the
// database space of people, changes and deliveries.
//
// Uses DATABASE_URL and AMQP_URL, by default an embedded PostgreSQL and its queues. BENCH_RECORDS (20000).
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { DirectoryFixture } from '../libs/testing/dist/index.js';
import { withBenchDatabase } from './support/bench-database.mjs';
import { FourServices } from './support/four-services.mjs';
import { peopleConnector, peopleHeader, personRow } from './support/people.mjs';
import { printTable } from './support/table.mjs';

const records = Number(process.env.BENCH_RECORDS ?? 20_000);
const restMs = 5_000;
const sampleMs = 200;
const deliveredWithinMs = 10 * 60_000;

await withBenchDatabase(async ({ url, folder }) => {
  const file = join(folder, 'people.csv');
  await writePeople(file, 0);
  const rows = DirectoryFixture.connect(url);
  const receiver = fork(fileURLToPath(new URL('support/receiver.mjs', import.meta.url)));
  const [{ port }] = await once(receiver, 'message');
  const services = await FourServices.start(url, folder);
  try {
    process.stdout.write(`queues: ${process.env.AMQP_URL ? 'RabbitMQ' : 'PostgreSQL'}; ${records} users\n`);
    await pause(restMs);
    const atRest = { memory: await services.memory('VmRSS'), connections: await connections(rows) };

    const most = new Map();
    const stop = new AbortController();
    const sampling = sample(rows, most, stop.signal);
    const { id: tenant } = await services.operator('POST', '/tenants', { name: 'Bench' });
    const connector = await connect(services, tenant);
    const empty = await databaseSize(rows);
    await services.sync(tenant, connector);
    const imported = await databaseSize(rows);
    // The first change of every person allocates space that later changes reuse.
    for (const round of [1, 2]) {
      await rows.rows('vacuum');
      await writePeople(file, round);
      if (round === 1) await services.sync(tenant, connector);
    }
    const before = await databaseSize(rows);
    await services.sync(tenant, connector);
    const changed = await databaseSize(rows);
    await rows.rows('vacuum');
    await subscribe(services, tenant, `http://127.0.0.1:${port}/`);
    await writePeople(file, 3);
    await services.sync(tenant, connector);
    const deliveries = await delivered(rows);
    stop.abort();
    await sampling;

    const held = await services.memory('VmHWM');
    printTable('Each service', [
      ['service', 'MB at rest', 'MB peak', 'connections at rest', 'peak'],
      ...held.map(([name, mb], nth) => [
        name,
        atRest.memory[nth][1],
        mb,
        atRest.connections.get(roleOf(name)) ?? 0,
        most.get(roleOf(name)) ?? 0,
      ]),
    ]);
    const kb = (bytes, count) => (bytes / count / 1024).toFixed(1);
    printTable('PostgreSQL', [
      ['what', 'count', 'KB each'],
      ['people, with their events', records, kb(imported - empty, records)],
      ['changes, with history and events', records, kb(changed - before, records)],
      ['deliveries, with payloads', deliveries.count, kb(deliveries.bytes, deliveries.count)],
    ]);
  } finally {
    await services.stop();
    receiver.kill();
    await rows.close();
  }
});

function roleOf(service) {
  return `idsync_${service.replaceAll('-', '_')}`;
}

/** Writes users with eight attributes, one of which changes per round. */
async function writePeople(path, round) {
  const lines = Array.from({ length: records }, (_, n) => personRow(n, `Engineer ${(n + round) % 97}`));
  await writeFile(path, `${peopleHeader}\n${lines.join('\n')}\n`);
}

async function connect(services, tenant) {
  const { id } = await services.operator('POST', `/tenants/${tenant}/connectors`, peopleConnector);
  return id;
}

/** Creates a webhook that gets one delivery per change of a person. */
async function subscribe(services, tenant, url) {
  const { key } = await services.operator('POST', `/tenants/${tenant}/api-keys`, { name: 'bench' });
  const answer = await fetch(`${services.base}/v1/webhooks`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify({ callback_url: url, events: ['identity.updated'] }),
  });
  if (!answer.ok) throw new Error(`creating the webhook failed: ${await answer.text()}`);
}

/** Waits until everything is delivered; returns count and size of the delivery tables. */
async function delivered(rows) {
  for (const end = Date.now() + deliveredWithinMs; Date.now() < end; await pause(500)) {
    const [{ count, open }] = await rows.rows(
      `select count(*)::int as count, count(*) filter (where status <> 'delivered')::int as open from webhook_deliveries`,
    );
    if (count < records || open > 0) continue;
    const [{ bytes }] = await rows.rows(
      `select sum(pg_total_relation_size(name::regclass))::float8 as bytes
         from unnest(array['webhook_deliveries', 'webhook_attempts', 'event_payloads']) as name`,
    );
    return { count, bytes };
  }
  throw new Error('some deliveries are still open');
}

async function databaseSize(rows) {
  const [{ bytes }] = await rows.rows('select pg_database_size(current_database())::float8 as bytes');
  return bytes;
}

async function connections(rows) {
  const found = await rows.rows(
    `select application_name as name, count(*)::int as count from pg_stat_activity
      where datname = current_database() and application_name like 'idsync\\_%' group by 1`,
  );
  return new Map(found.map(({ name, count }) => [name, count]));
}

async function sample(rows, most, signal) {
  while (!signal.aborted) {
    for (const [name, count] of await connections(rows)) most.set(name, Math.max(count, most.get(name) ?? 0));
    await pause(sampleMs);
  }
}
