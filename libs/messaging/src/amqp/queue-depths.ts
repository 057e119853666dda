import { queues } from '@idsync/contracts';
import { withTimeout } from '@idsync/runtime';
import type { ChannelModel } from 'amqplib';
import type { QueueDepth } from '../driver.js';
import type { AmqpConnection } from './amqp-connection.js';

const withinMs = 2_000;

/**
 * Counts the messages of every queue, which needs no permission on it. A queue that does not exist yet is left out.
 * Undefined if the broker does not answer in time.
 */
export async function queueDepths(connection: AmqpConnection): Promise<ReadonlyMap<string, QueueDepth> | undefined> {
  const model = connection.current;
  if (!model) return undefined;
  const counted = Promise.all(
    Object.keys(queues).map(async (name) => {
      const depth = await depthOf(model, name).catch(() => undefined);
      return depth && ([name, depth] as const);
    }),
  );
  const found = await withTimeout(withinMs, counted, undefined);
  return found && new Map(found.filter((each) => each !== undefined));
}

/** Opens a channel, because the broker closes it if the queue does not exist. */
async function depthOf(model: ChannelModel, name: string): Promise<QueueDepth> {
  const channel = await model.createChannel();
  channel.on('error', () => undefined);
  const { messageCount: messages, consumerCount: consumers } = await channel.checkQueue(name);
  const { messageCount: dead } = await channel.checkQueue(`${name}.dead`);
  await channel.close();
  return { messages, consumers, dead };
}
