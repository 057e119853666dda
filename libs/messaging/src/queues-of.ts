import { type QueueDefinition, type QueueName, queues, type ServiceName } from '@idsync/contracts';
import { patternOf } from './delivery.js';

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
