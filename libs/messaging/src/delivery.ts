import { type Message, messageTypes, type QueueDefinition, type QueueName } from '@idsync/contracts';
import { noteInLogs, traced } from '@idsync/runtime';
import { observeAge } from './metrics.js';

/** One delivery of one message to one queue of this service. */
export interface Delivery {
  /** What carried it, by its name in OpenTelemetry. */
  system: 'rabbitmq' | 'postgresql';
  queue: QueueName;
  type: string;
  /** The message's JSON text. */
  body: string;
  orderingKey?: string;
  /** 1 on the first delivery; crashes count. */
  attempt: number;
}

/** What a handler is told beside the message. */
export interface MessageContext {
  queue: QueueName;
  attempt: number;
}

export type MessageHandler = (message: Message, context: MessageContext) => Promise<unknown>;

/** What becomes of a delivery: done, tried again after a pause, or given up. */
export type Outcome = { kind: 'done' } | { kind: 'retry'; reason: string } | { kind: 'dead'; reason: string };

/** A message that will never succeed: its handler throws this, and it is given up without another attempt. */
export class PermanentError extends Error {
  override readonly name = 'PermanentError';
}

/** Runs the handler of one delivery and tells what becomes of it; never throws. */
export async function handleDelivery(
  delivery: Delivery,
  definition: QueueDefinition,
  handlers: ReadonlyMap<string, MessageHandler>,
): Promise<Outcome> {
  if (delivery.attempt > definition.deliveryLimit) {
    return { kind: 'dead', reason: `delivered ${definition.deliveryLimit} times, and no consumer lived to settle it` };
  }
  const parsed = parseMessage(delivery);
  if ('malformed' in parsed) return { kind: 'dead', reason: parsed.malformed };
  const { id: message_id, tenant_id, traceparent: parent, data } = parsed.message;
  noteInLogs({ message_id, tenant_id, ...('job_id' in data && { job_id: data.job_id }) });
  const { system, queue, attempt, type } = delivery;
  const pattern = patternOf(definition, type);
  const handler = handlers.get(pattern);
  if (!handler) return { kind: 'dead', reason: `no handler for ${type}` };
  // What was tried before, here or where it was given up, is not old because of this queue.
  if (attempt === 1 && pattern === type) observeAge(queue, message_id);
  try {
    const attributes = {
      'messaging.system': system,
      'messaging.operation.name': 'process',
      'messaging.operation.type': 'process',
      'messaging.destination.name': queue,
      'messaging.message.id': message_id,
      'idsync.message_type': type,
      'idsync.attempt': attempt,
    };
    await traced(`process ${queue}`, { kind: 'consumer', parent: parent ?? null, attributes }, async () =>
      handler(parsed.message, { queue, attempt }),
    );
    return { kind: 'done' };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const last = delivery.attempt >= definition.deliveryLimit;
    return { kind: last || error instanceof PermanentError ? 'dead' : 'retry', reason };
  }
}

/** The pattern a handler is registered under: the type, or `dead.<type>` on a queue that takes what others gave up. */
export function patternOf(definition: QueueDefinition, type: string): string {
  return (definition.bindsDead as readonly string[] | undefined)?.includes(type) ? `dead.${type}` : type;
}

function parseMessage(delivery: Delivery): { message: Message } | { malformed: string } {
  if (!Object.hasOwn(messageTypes, delivery.type)) return { malformed: `unknown message type ${delivery.type}` };
  let content: unknown;
  try {
    content = JSON.parse(delivery.body);
  } catch {
    return { malformed: 'the message is not JSON' };
  }
  const result = messageTypes[delivery.type as keyof typeof messageTypes].safeParse(content);
  return result.success ? { message: result.data } : { malformed: `malformed message: ${result.error.message}` };
}
