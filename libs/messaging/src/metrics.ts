import { queues, type ServiceName } from '@idsync/contracts';
import { type Database, outboxBacklog, queueBacklogs } from '@idsync/database';
import { durations, gauge, seldom } from '@idsync/runtime';
import type { BusDriver } from './driver.js';

/** `done`, `retry` or `dead`: the count of each is that of the messages. */
export const handling = durations({
  name: 'bus_handling_duration_seconds',
  help: 'How long messages were handled, by queue and by what became of them.',
  labels: ['queue', 'outcome'],
});

const connected = gauge({
  name: 'bus_connected',
  help: '1 while a service is connected to the broker; always where queues are rows of PostgreSQL.',
  labels: ['service'],
});
const outboxLag = gauge({
  name: 'outbox_lag_seconds',
  help: 'Age of the oldest message a service announced and has not published.',
  labels: ['service'],
});
const outboxMessages = gauge({
  name: 'outbox_messages',
  help: 'Messages a service announced and has not published; counted up to 1000.',
  labels: ['service'],
});
const queueLag = gauge({
  name: 'bus_queue_lag_seconds',
  help: 'How long the oldest message of a queue of rows has been waiting. RabbitMQ tells of its own queues.',
  labels: ['queue'],
});
const queueMessages = gauge({
  name: 'bus_queue_messages',
  help: 'Messages of a queue of rows that are waiting; counted up to 1000.',
  labels: ['queue'],
});
const deadMessages = gauge({
  name: 'bus_queue_dead_messages',
  help: 'Messages of a queue of rows that were given up and are kept; counted up to 1000.',
  labels: ['queue'],
});

/** Shows how a service's bus stands, until what it returns is called. */
export function watchBus(database: Database, service: ServiceName, driver: BusDriver): () => void {
  const outbox = seldom(() => database.transaction(undefined, outboxBacklog));
  const labels = { service };
  const forget = [
    connected.watch(() => [{ labels, value: driver.up ? 1 : 0 }]),
    outboxLag.watch(async () => [{ labels, value: (await outbox()).seconds }]),
    outboxMessages.watch(async () => [{ labels, value: (await outbox()).count }]),
    ...(driver.queuesAreRows ? watchRows(database, service) : []),
  ];
  return () => {
    for (const each of forget) each();
  };
}

function watchRows(database: Database, service: ServiceName): (() => void)[] {
  const own = Object.entries(queues).flatMap(([queue, definition]) => (definition.service === service ? [queue] : []));
  const rows = seldom(() => database.transaction(undefined, (tx) => queueBacklogs(tx, own)));
  const shown = (value: (found: Awaited<ReturnType<typeof rows>>[number]) => number) => async () =>
    (await rows()).map((found) => ({ labels: { queue: found.queue }, value: value(found) }));
  return [
    queueLag.watch(shown(({ seconds }) => seconds)),
    queueMessages.watch(shown(({ count }) => count)),
    deadMessages.watch(shown(({ dead }) => dead)),
  ];
}
