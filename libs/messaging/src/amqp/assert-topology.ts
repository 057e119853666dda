import { deadLetterExchange, exchange, type QueueDefinition, queues, type ServiceName } from '@idsync/contracts';
import type { Channel, ChannelModel } from 'amqplib';

const accessRefused = 403;

/**
 * Declares the exchanges and the queues of every service, so that a message reaches its queue even if the consumer has
 * never run. A queue routes dead letters under its own name to `<queue>.dead`, where they are stored, and to the queues
 * that bind dead letters. A login with `brokerPermissions` may declare only the queues of its service; messages to a
 * queue that does not exist yet stay in the outbox.
 */
export async function assertTopology(model: ChannelModel, service: ServiceName): Promise<void> {
  await onChannel(model, assertExchanges);
  for (const [name, definition] of Object.entries<QueueDefinition>(queues)) {
    try {
      await onChannel(model, (channel) => assertQueue(channel, name, definition));
    } catch (error) {
      if (definition.service === service || (error as { code?: number }).code !== accessRefused) throw error;
    }
  }
}

/**
 * Returns the permissions of a service's RabbitMQ login as regular expressions. The service declares the exchanges and
 * its own queues, and writes to the exchanges; RabbitMQ requires the same rights on both ends of a binding.
 */
export function brokerPermissions(service: ServiceName): { configure: string; write: string; read: string } {
  const names = [exchange, deadLetterExchange].map((name) => name.replaceAll('.', '\\.'));
  const own = `^(${[...names, `${service}\\..+`].join('|')})$`;
  return { configure: own, write: own, read: own };
}

/** Opens a channel per declaration, because a refused one closes its channel. */
async function onChannel(model: ChannelModel, work: (channel: Channel) => Promise<void>): Promise<void> {
  const channel = await model.createChannel();
  channel.on('error', () => undefined);
  await work(channel);
  await channel.close();
}

async function assertExchanges(channel: Channel): Promise<void> {
  await channel.assertExchange(exchange, 'topic', { durable: true });
  await channel.assertExchange(deadLetterExchange, 'topic', { durable: true });
}

async function assertQueue(channel: Channel, name: string, definition: QueueDefinition): Promise<void> {
  await channel.assertQueue(name, { durable: true, arguments: queueArguments(name, definition) });
  for (const type of definition.binds) await channel.bindQueue(name, exchange, type);
  await channel.assertQueue(`${name}.dead`, { durable: true, arguments: deadLetterArguments });
  await channel.bindQueue(`${name}.dead`, deadLetterExchange, name);
  for (const origin of originsOf(definition.bindsDead ?? [])) {
    await channel.bindQueue(name, deadLetterExchange, origin);
  }
}

/** Practically unlimited; without a limit, RabbitMQ 4 drops a message that was inspected and requeued twenty times. */
const deadLetterArguments = { 'x-queue-type': 'quorum', 'x-delivery-limit': 1_000_000_000 };

function queueArguments(name: string, definition: QueueDefinition): Record<string, unknown> {
  return {
    'x-queue-type': 'quorum',
    'x-delivery-limit': definition.deliveryLimit,
    'x-dead-letter-exchange': deadLetterExchange,
    'x-dead-letter-routing-key': name,
    // A dead letter leaves its queue only after the dead-letter queue has confirmed it.
    'x-dead-letter-strategy': 'at-least-once',
    'x-overflow': 'reject-publish',
  };
}

/** Returns the queues that can dead-letter a message of one of these types. */
function originsOf(types: readonly string[]): string[] {
  return Object.entries<QueueDefinition>(queues)
    .filter(([, definition]) => definition.binds.some((type) => types.includes(type)))
    .map(([name]) => name);
}
