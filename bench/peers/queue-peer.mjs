// A queue with a worker process that delivers its jobs, and the facts of this process that add them.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { cpuSeconds } from '../support/cpu-time.mjs';

/** As many deliveries at once as the dispatcher sends to one receiver. */
const concurrency = 64;
const bodyBytes = 1_600;
const now = () => performance.timeOrigin + performance.now();
const filling = 'x'.repeat(bodyBytes - 30);
let sequence = 0;

export class QueuePeer {
  /** `where` has the addresses of the database and of Redis; `pool` connections of this process to the database. */
  static async open(name, where, pool, receiver) {
    const peer = new QueuePeer();
    const { open } = await import(`./programs/${name}.mjs`);
    return Object.assign(peer, { name, where, pool, receiver, queue: await open(where), sent: new Map() });
  }

  async startWorker() {
    const words = [JSON.stringify({ peer: this.name, concurrency, ...this.where })];
    this.worker = fork(fileURLToPath(new URL('queue-worker.mjs', import.meta.url)), words);
    const ended = once(this.worker, 'exit').then(([code]) =>
      Promise.reject(new Error(`${this.name} ended with ${code}`)),
    );
    await Promise.race([once(this.worker, 'message'), ended]);
    ended.catch(() => undefined);
  }

  async stopWorker() {
    const exit = once(this.worker, 'exit');
    this.worker.kill('SIGTERM');
    await exit;
  }

  /** Stores a fact and adds its job in one transaction, if the queue is in the same database. */
  async commit() {
    const job = this.jobOf(0);
    const client = await this.pool.connect();
    try {
      await client.query('begin');
      await client.query('insert into peers.facts (peer, sequence, body) values ($1, $2, $3)', [
        this.name,
        job.sequence,
        job.body,
      ]);
      await this.queue.add?.(client, job);
      await client.query('commit');
    } finally {
      client.release();
    }
    await this.queue.addAfterCommit?.(job);
    this.sent.set(job.sequence, now());
  }

  /** Adds jobs while no worker runs, divided among `webhooks`. */
  async fillBacklog(count, webhooks) {
    for (let left = count; left > 0; left -= 500) {
      await this.queue.addAll(Array.from({ length: Math.min(left, 500) }, (_, n) => this.jobOf(n % webhooks)));
    }
  }

  async until(count) {
    await this.receiver.until(count);
  }

  /** Returns the deliveries since the last call: arrival time, and milliseconds since the commit. */
  async arrivals() {
    return (await this.receiver.times()).map(([number, at]) => ({ at, ms: at - this.sent.get(number) }));
  }

  async cpu() {
    return (await cpuSeconds(this.worker.pid)) + (this.redis ? await cpuSeconds(this.redis.pid) : 0);
  }

  async close() {
    await this.queue.close();
  }

  jobOf(webhook) {
    sequence += 1;
    return {
      sequence,
      webhook,
      url: `${this.receiver.url}${webhook}`,
      body: `{"sequence":${sequence},"data":"${filling}"}`,
    };
  }
}
