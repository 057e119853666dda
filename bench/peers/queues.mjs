// idsync's deliveries and the queues that are compared with them, on one PostgreSQL.
import { barePool } from '../support/bare-connection.mjs';
import { IdsyncDeliveries } from './idsync-deliveries.mjs';
import { QueuePeer } from './queue-peer.mjs';
import { startRedis } from './redis-server.mjs';

const queues = ['pg-boss', 'graphile-worker', 'bullmq'];

/** Runs `work(systems)`, of which idsync is the first. Queues that cannot run are named with the reason. */
export async function withQueues(bench, work) {
  const pool = barePool(bench.peersUrl, 10);
  await pool.query('create schema if not exists peers');
  await pool.query(
    'create table if not exists peers.facts (peer text, sequence int, body text, primary key (peer, sequence))',
  );
  const systems = [await IdsyncDeliveries.open(bench.url, bench.amqpUrl)];
  const [idsync] = systems;
  let redis;
  try {
    for (const name of queues) {
      try {
        if (name === 'bullmq') redis = await startRedis(bench.folder);
        const where = { databaseUrl: bench.peersUrl, redisPort: redis?.port };
        const peer = await QueuePeer.open(name, where, pool, idsync.receiver);
        if (name === 'bullmq') peer.redis = redis.child;
        systems.push(peer);
      } catch (error) {
        bench.leaveOut(name, error);
      }
    }
    return await work(systems);
  } finally {
    for (const system of systems.toReversed()) await system.close();
    redis?.child.kill();
    await pool.end();
  }
}
