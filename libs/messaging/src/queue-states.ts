import { type QueueName, queues, type ServiceName } from '@idsync/contracts';
import type { Database } from '@idsync/database';
import { queueBacklogs } from '@idsync/database/bus';
import type { BusDriver } from './driver.js';

export interface QueueState {
  name: QueueName;
  service: ServiceName;
  /** Undefined if the broker does not answer. */
  messages: number | undefined;
  /** Age of the oldest waiting message. Undefined with RabbitMQ, which does not report it. */
  seconds: number | undefined;
  /** Undefined without RabbitMQ. */
  consumers: number | undefined;
  dead: number;
}

const names = Object.keys(queues) as QueueName[];

/** Counts the messages of all queues. Dead letters are rows of the database, except those that RabbitMQ still has. */
export async function queueStates(
  database: Database,
  driver: Pick<BusDriver, 'queuesAreRows' | 'depths'>,
): Promise<QueueState[]> {
  const [rows, depths] = await Promise.all([database.withoutTenant((tx) => queueBacklogs(tx, names)), driver.depths()]);
  return names.map((name) => {
    const row = rows.find(({ queue }) => queue === name);
    const depth = depths?.get(name);
    return {
      name,
      service: queues[name].service,
      messages: driver.queuesAreRows ? (row?.count ?? 0) : depth?.messages,
      seconds: driver.queuesAreRows ? (row?.seconds ?? 0) : undefined,
      consumers: depth?.consumers,
      dead: (row?.dead ?? 0) + (depth?.dead ?? 0),
    };
  });
}
