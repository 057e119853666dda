// Jobs in tables of pg-boss, with its listener for new jobs.
import { PgBoss } from 'pg-boss';

const queue = 'deliveries';
const retries = { retryLimit: 10, retryBackoff: true };

export async function open({ databaseUrl }) {
  const boss = new PgBoss({ connectionString: databaseUrl, max: 10, useListenNotify: true });
  boss.on('error', () => undefined);
  await boss.start();
  if (!(await boss.getQueue(queue))) await boss.createQueue(queue, { notify: true, ...retries });
  return {
    /** Adds a job in the transaction of `client`. */
    add: (client, job) => boss.send(queue, job, { db: { executeSql: (text, values) => client.query(text, values) } }),
    addAll: (jobs) =>
      boss.insert(
        queue,
        jobs.map((data) => ({ data })),
      ),
    work: (deliver, concurrency) =>
      boss.work(
        queue,
        { localConcurrency: 2, batchSize: concurrency / 2, burstWhenBatchFull: true, pollingIntervalSeconds: 0.5 },
        (jobs) => Promise.all(jobs.map(({ data }) => deliver(data))),
      ),
    close: () => boss.stop({ timeout: 5_000 }),
  };
}
