// Jobs in tables of Graphile Worker, with the batches that its documentation recommends for many jobs.
import { Logger, makeWorkerUtils, run } from 'graphile-worker';

const task = 'deliver';
const logger = new Logger(() => () => undefined);

export async function open({ databaseUrl }) {
  const utils = await makeWorkerUtils({ connectionString: databaseUrl, logger });
  await utils.migrate();
  let runner;
  return {
    /** Adds a job in the transaction of `client`. */
    add: (client, job) =>
      client.query('select graphile_worker.add_job($1, payload := $2::json)', [task, JSON.stringify(job)]),
    addAll: (jobs) => utils.addJobs(jobs.map((payload) => ({ identifier: task, payload }))),
    async work(deliver, concurrency) {
      const worker = { concurrentJobs: concurrency, localQueue: { size: concurrency + 1 }, completeJobBatchDelay: 250 };
      runner = await run({
        connectionString: databaseUrl,
        noHandleSignals: true,
        taskList: { [task]: (job) => deliver(job) },
        preset: { worker: { ...worker, maxPoolSize: 10, logger } },
      });
    },
    async close() {
      await runner?.stop();
      await utils.release();
    },
  };
}
