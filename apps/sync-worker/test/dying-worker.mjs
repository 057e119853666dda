// A worker that kills itself with SIGKILL at its nth step; every statement, commit and pause between them is a step.
// Prints the number of steps if it was not killed.
import { Database } from '@idsync/database';
import { claimJob } from '../dist/claim-job.js';
import { applyProgress } from '../dist/job-messages.js';
import { RunControl } from '../dist/run-control.js';
import { runJob } from '../dist/run-job.js';
import { defaultSettings } from '../dist/sync-context.js';

const { url, part, job, messages, lines, killAt } = JSON.parse(process.argv[2]);
const shares = { of: async () => defaultSettings.batchesInFlight };
let steps = 0;

function step() {
  steps += 1;
  if (steps === killAt) process.kill(process.pid, 'SIGKILL');
}

const stepped =
  (query) =>
  async (...statement) => {
    const rows = await query(...statement);
    step();
    return rows;
  };

const database = await Database.connect({ url, service: 'sync-worker', poolSize: 2 });
const steppedDatabase = {
  async transaction(tenantId, work) {
    const result = await database.transaction(tenantId, async (tx) => {
      step();
      const { queryRunner } = tx.manager;
      queryRunner.query = stepped(queryRunner.query.bind(queryRunner));
      const answer = await work({ ...tx, query: stepped(tx.query) });
      step();
      return answer;
    });
    step();
    return result;
  },
};

const parts = {
  async read() {
    const context = {
      database: steppedDatabase,
      shares,
      owner: 'a killed worker',
      settings: { ...defaultSettings, pageSize: 10 },
      log: { info() {}, warn() {}, error() {} },
      openConnector: () => ({ read: pages }),
    };
    await runJob(context, await claimJob(context, job), new RunControl());
  },
  async count() {
    for (const message of messages) await applyProgress({ database: steppedDatabase, shares }, message);
  },
};

async function* pages({ cursor, pageSize }) {
  for (let line = Number(cursor?.line ?? 0); line < lines; ) {
    const end = Math.min(line + pageSize, lines);
    const records = Array.from({ length: end - line }, (_, at) => ({ external_id: `r${line + at}`, fields: {} }));
    line = end;
    yield { records, errors: [], cursor: { line }, last: line === lines };
  }
}

await parts[part]();
await database.close();
process.stdout.write(String(steps));
