import { deadLetterExchange, exchange, type QueueDefinition, queues } from '@idsync/contracts';
import type { Channel } from 'amqplib';

/**
 * Declares the exchanges and every queue of every service, so that a message finds its queue even if its consumer has
 * never run. A queue that gives a message up routes it, under the queue's own name, to `<queue>.dead`, where it is kept,
 * and to the queues that want to know.
 */
export async function assertTopology(channel: Channel): Promise<void> {
  await channel.assertExchange(exchange, 'topic', { durable: true });
  await channel.assertExchange(deadLetterExchange, 'topic', { durable: true });
  for (const [name, definition] of Object.entries<QueueDefinition>(queues)) {
    await channel.assertQueue(name, { durable: true, arguments: queueArguments(name, definition) });
    for (const type of definition.binds) await channel.bindQueue(name, exchange, type);
    await channel.assertQueue(`${name}.dead`, { durable: true, arguments: deadLetterArguments });
    await channel.bindQueue(`${name}.dead`, deadLetterExchange, name);
  }
  for (const [name, { bindsDead = [] }] of Object.entries<QueueDefinition>(queues)) {
    for (const origin of originsOf(bindsDead)) await channel.bindQueue(name, deadLetterExchange, origin);
  }
}

/** A limit no operator reaches: with none, RabbitMQ 4 drops what was looked at and put back twenty times. */
const deadLetterArguments = { 'x-queue-type': 'quorum', 'x-delivery-limit': 1_000_000_000 };

function queueArguments(name: string, definition: QueueDefinition): Record<string, unknown> {
  return {
    'x-queue-type': 'quorum',
    'x-delivery-limit': definition.deliveryLimit,
    'x-dead-letter-exchange': deadLetterExchange,
    'x-dead-letter-routing-key': name,
    // A dead letter leaves its queue only when the dead-letter queue has confirmed it.
    'x-dead-letter-strategy': 'at-least-once',
    'x-overflow': 'reject-publish',
    // Order across processes: one consumer at a time, the next when it goes.
    ...(definition.ordered && { 'x-single-active-consumer': true }),
  };
}

/** Queues that could give up a message of one of these types. */
function originsOf(types: readonly string[]): string[] {
  return Object.entries<QueueDefinition>(queues)
    .filter(([, definition]) => definition.binds.some((type) => types.includes(type)))
    .map(([name]) => name);
}
