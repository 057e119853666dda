import type { QueueDefinition, QueueName } from '@idsync/contracts';
import type { NewDeadLetter } from '@idsync/database/bus';
import type { ConsumeMessage } from 'amqplib';
import type { Delivery } from '../delivery.js';

interface Properties {
  type?: string;
  messageId?: string;
  headers?: { 'x-delivery-count'?: unknown; 'x-death'?: { reason?: string }[] };
}

export function toDelivery(queue: QueueName, message: ConsumeMessage, attempt: number): Delivery {
  return { system: 'rabbitmq', queue, type: typeOf(message), body: message.content.toString('utf8'), attempt };
}

/** Number of earlier deliveries, as the broker counts them. */
export function deliveryCount({ properties }: ConsumeMessage): number {
  const count = (properties as Properties).headers?.['x-delivery-count'];
  return typeof count === 'number' ? count : 0;
}

/** Returns a message of `queue` as a dead letter. */
export function toDeadLetter(
  queue: QueueName,
  message: ConsumeMessage,
  { attempts, reason }: { attempts: number; reason: string },
): NewDeadLetter {
  const { messageId } = message.properties as Properties;
  return {
    queue,
    messageId: messageId ?? null,
    type: typeOf(message),
    message: storable(message.content.toString('utf8')),
    attempts,
    reason: storable(reason),
  };
}

/** Returns a message that the broker has dead-lettered; only the broker knows the reason, without the error. */
export function ofDeadQueue(queue: QueueName, definition: QueueDefinition, message: ConsumeMessage): NewDeadLetter {
  const [death] = (message.properties as Properties).headers?.['x-death'] ?? [];
  const isOverLimit = death?.reason === 'delivery_limit';
  return toDeadLetter(queue, message, {
    attempts: isOverLimit ? definition.deliveryLimit : deliveryCount(message) + 1,
    reason: isOverLimit
      ? `delivered ${definition.deliveryLimit} times without being settled`
      : `dead-lettered by RabbitMQ: ${death?.reason ?? 'unknown reason'}`,
  });
}

function typeOf({ properties, fields }: ConsumeMessage): string {
  return (properties as Properties).type ?? fields.routingKey;
}

/** PostgreSQL stores no NUL. */
function storable(text: string): string {
  return text.replaceAll('\0', '');
}
