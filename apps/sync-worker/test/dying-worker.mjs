// A worker that dies by SIGKILL at its nth step, where every statement, commit and pause between two is a step.
// Prints how many steps it took if it lived.
import { Database } from '@idsync/database';
import { applyProgress } from '../dist/apply-progress.js';
import { claimJob } from '../dist/claim-job.js';
import { RunControl } from '../dist/run-control.js';
import { runJob } from '../dist/run-job.js';
import { defaultSettings } from '../dist/sync-context.js';

const { url, part, job, messages, lines, dieAt } = JSON.parse(process.argv[2]);
let steps = 0;

function step() {
  steps += 1;
  if (steps === dieAt) process.kill(process.pid, 'SIGKILL');
}

const database = await Database.connect({ url, service: 'sync-worker', poolSize: 2 });
const stepping = {
  async transaction(tenantId, work) {
    const result = await database.transaction(tenantId, async (tx) => {
      step();
      const answer = await work({
        afterCommit: (then) => tx.afterCommit(then),
        async query(...statement) {
          const rows = await tx.query(...statement);
          step();
          return rows;
        },
      });
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
      database: stepping,
      owner: 'a worker that dies',
      settings: { ...defaultSettings, pageSize: 10 },
      log: { info() {}, warn() {}, error() {} },
      openConnector: () => ({ read: pages }),
    };
    await runJob(context, await claimJob(context, job), new RunControl());
  },
  async count() {
    for (const message of messages) await applyProgress(stepping, message);
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
