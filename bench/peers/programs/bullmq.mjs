// Jobs in Redis by BullMQ. They cannot be part of a transaction of PostgreSQL, and are added after its commit.
import { Queue, Worker } from 'bullmq';

const queueName = 'deliveries';
const options = { attempts: 10, backoff: { type: 'exponential', delay: 1_000 }, removeOnComplete: true };

export async function open({ redisPort }) {
  const connection = { host: '127.0.0.1', port: redisPort, maxRetriesPerRequest: null };
  const queue = new Queue(queueName, { connection, defaultJobOptions: options });
  let worker;
  return {
    addAfterCommit: (job) => queue.add('deliver', job),
    addAll: (jobs) => queue.addBulk(jobs.map((data) => ({ name: 'deliver', data }))),
    async work(deliver, concurrency) {
      worker = new Worker(queueName, ({ data }) => deliver(data), { connection, concurrency });
      await worker.waitUntilReady();
    },
    async close() {
      await worker?.close();
      await queue.close();
    },
  };
}
