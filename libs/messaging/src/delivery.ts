import {
  type Message,
  messageTypes,
  type QueueDefinition,
  type QueueName,
  queues,
  type ServiceName,
  uuidCreatedAt,
} from '@idsync/contracts';
import { addLogContext, traced } from '@idsync/runtime';
import { observeAge } from './metrics.js';

/** One delivery of one message to one queue of this service. */
export interface Delivery {
  /** Transport, by its OpenTelemetry name. */
  system: 'rabbitmq' | 'postgresql';
  queue: QueueName;
  type: string;
  /** JSON text of the message. */
  body: string;
  /** 1 on the first delivery; crashed attempts count. */
  attempt: number;
}

/** Delivery data that a handler receives with the message. */
export interface MessageContext {
  queue: QueueName;
  attempt: number;
}

export type MessageHandler = (message: Message, context: MessageContext) => Promise<unknown>;

/** Result of a delivery: done, retried after a pause, delivered again without counting the attempt, or dead-lettered. */
export type Outcome = { kind: 'done' } | { kind: 'retry' | 'postponed' | 'dead'; reason: string; error?: unknown };

/** A message that was sent longer ago is not postponed, so that a lost node does not keep it forever. */
const postponedForMs = 24 * 60 * 60_000;

/** Thrown by a handler for a message that can never succeed; it is dead-lettered without another attempt. */
export class PermanentError extends Error {
  override readonly name = 'PermanentError';
}

/**
 * Runs the handler of one delivery and returns the outcome; never throws. `isReachable`: whether the database can read rows
 * of the tenant.
 */
export async function handleDelivery(
  delivery: Delivery,
  definition: QueueDefinition,
  handlers: ReadonlyMap<string, MessageHandler>,
  isReachable: (tenantId: string) => Promise<boolean> = async () => true,
): Promise<Outcome> {
  if (delivery.attempt > definition.deliveryLimit) {
    return { kind: 'dead', reason: `delivered ${definition.deliveryLimit} times without being settled` };
  }
  const parsed = parseMessage(delivery);
  if ('malformed' in parsed) return { kind: 'dead', reason: parsed.malformed };
  const { id: message_id, tenant_id, traceparent: parent, data } = parsed.message;
  addLogContext({ message_id, tenant_id, ...('job_id' in data && { job_id: data.job_id }) });
  const { system, queue, attempt, type } = delivery;
  const pattern = patternOf(definition, type);
  const handler = handlers.get(pattern);
  if (!handler) return { kind: 'dead', reason: `no handler for ${type}` };
  const isDead = pattern !== type;
  const takenAt = Date.now();
  let outcome: Outcome = { kind: 'done' };
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
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    outcome = { kind: await kindOf(error), reason, error };
  }
  // Retries, postponed messages and dead letters are excluded: their age is not caused by this queue.
  if (attempt === 1 && !isDead && outcome.kind !== 'postponed') observeAge(queue, message_id, takenAt);
  return outcome;

  async function kindOf(error: unknown): Promise<'retry' | 'postponed' | 'dead'> {
    if (error instanceof PermanentError) return 'dead';
    const isRecent = takenAt - (uuidCreatedAt(message_id) ?? 0) < postponedForMs;
    // A dead letter of RabbitMQ would be sent again as a new message of its type.
    const canWait = isRecent && !(isDead && system === 'rabbitmq');
    if (canWait && !(await isReachable(tenant_id))) return 'postponed';
    return attempt >= definition.deliveryLimit ? 'dead' : 'retry';
  }
}

/** Returns the pattern of a handler: the type, or `dead.<type>` on a queue that binds dead letters. */
function patternOf(definition: QueueDefinition, type: string): string {
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

/** The queues a service consumes. */
export function queuesOf(service: ServiceName): [QueueName, QueueDefinition][] {
  return (Object.entries(queues) as [QueueName, QueueDefinition][]).filter(([, queue]) => queue.service === service);
}

/** Returns the patterns for which a service must have a handler. */
export function patternsOf(service: ServiceName): string[] {
  return queuesOf(service).flatMap(([, queue]) =>
    [...queue.binds, ...(queue.bindsDead ?? [])].map((type) => patternOf(queue, type)),
  );
}
