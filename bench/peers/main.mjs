// `npm run bench:peers`: idsync beside other programs for the same work on the same machine, in turns: webhook
// deliveries beside queues, creates by SCIM beside Jackson, pages of a list beside PostGraphile, Nest and bare Fastify.
//
// Uses AMQP_URL, by default queues in PostgreSQL, and always an embedded PostgreSQL. BENCH_ONLY (facts,backlog,scim,
// pages), BENCH_ROUNDS (3). `--short`: one smaller round. `--check FILE`: fails if a ratio is worse than two thirds of
// the one in FILE. `--write FILE`: writes the ratios.
import { readFile, writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { createDatabase, databaseUrl } from '../../libs/database/dist/schema/index.js';
import { withBenchDatabase } from '../support/bench-database.mjs';
import { describeLoad } from '../support/statistics.mjs';
import { worseThan } from './baseline.mjs';
import { installPeers, versionsOfPeers } from './install.mjs';

const { values: options } = parseArgs({
  options: { short: { type: 'boolean', default: false }, check: { type: 'string' }, write: { type: 'string' } },
});
const parts = ['facts', 'backlog', 'scim', 'pages'];
const only = process.env.BENCH_ONLY?.split(',') ?? parts;
const rounds = Number(process.env.BENCH_ROUNDS ?? (options.short ? 1 : 3));
delete process.env.DATABASE_URL;
process.env.NODE_ENV = 'production';

installPeers();
process.stdout.write(`Node ${process.version}; ${versionsOfPeers()}\n`);
const leftOut = new Set();
/** The best ratio of each name. */
const ratios = new Map();
await measureParts(parts.filter((name) => only.includes(name)));
process.stdout.write(`\nqueues of idsync: ${process.env.AMQP_URL ? 'RabbitMQ' : 'PostgreSQL'}\n`);
for (const line of leftOut) process.stdout.write(`${line}\n`);
if (options.write)
  await writeFile(options.write, `${JSON.stringify(Object.fromEntries([...ratios].map(rounded)), null, 2)}\n`);
if (options.check) {
  const baseline = JSON.parse(await readFile(options.check, 'utf8'));
  const suspect = worseThan(baseline, ratios, only);
  for (const { line } of suspect) process.stdout.write(`measured again: ${line}\n`);
  // Other work on the machine can make one measurement worse, and hardly two.
  await measureParts([...new Set(suspect.map(({ part }) => part))]);
  const worse = worseThan(baseline, ratios, only).map(({ line }) => line);
  for (const line of worse) process.stdout.write(`${line}\n`);
  if (worse.length > 0) process.exitCode = 1;
}

async function measureParts(names) {
  for (const part of names) {
    const { measure } = await import(`./${part}.mjs`);
    await withBenchDatabase(async ({ url, folder }) => {
      const peersUrl = databaseUrl(url, 'peers');
      await createDatabase(url, 'peers');
      const leaveOut = (name, error) => leftOut.add(`${part}: ${name} is left out: ${error.message}`);
      const { short } = options;
      const run = { url, peersUrl, folder, amqpUrl: process.env.AMQP_URL, rounds, short, leaveOut };
      for (const [name, ratio] of await measure(run)) ratios.set(name, Math.max(ratio, ratios.get(name) ?? 0));
      process.stdout.write(`${describeLoad()}\n`);
    });
  }
}

function rounded([name, ratio]) {
  return [name, Number(ratio.toFixed(2))];
}
