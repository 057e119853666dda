import { type QueueName, queues, type ServiceName, uuidMadeAt } from '@idsync/contracts';
import { type Database, outboxBacklog, queueBacklogs } from '@idsync/database';
import { durations, gauge, seldom } from '@idsync/runtime';

/** `done`, `retry` or `dead`: the count of each is that of the messages. */
export const handling = durations({
  name: 'bus_handling_duration_seconds',
  help: 'How long messages were handled, by queue and by what became of them.',
  labels: ['queue', 'outcome'],
});

const ages = durations(
  {
    name: 'bus_message_age_seconds',
    help: 'How long ago messages had been announced when they were taken from their queue for the first time.',
    labels: ['queue'],
  },
  'wait',
);

/** The id of a message tells when it was announced, whatever carried it here. */
export function observeAge(queue: QueueName, messageId: string): void {
  const announcedAt = uuidMadeAt(messageId);
  if (announcedAt !== undefined) ages.observe({ queue }, Math.max(0, Date.now() - announcedAt) / 1_000);
}

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

/** As the alerts IdsyncOutboxStuck and IdsyncQueueBehind have it. */
const outboxBehindSeconds = 120;
const queueBehindSeconds = 600;

export interface BusWatch {
  /** Whether what the service announced, or what waits in its queues of rows, has been waiting for long. */
  isBehind(): Promise<boolean>;
  forget(): void;
}

/** Shows how a service's bus stands, until it is told to forget it. */
export function watchBus(
  database: Database,
  service: ServiceName,
  driver: { readonly up: boolean; readonly queuesAreRows: boolean },
): BusWatch {
  const outbox = seldom(() => database.transaction(undefined, outboxBacklog));
  const labels = { service };
  const own = Object.entries(queues).flatMap(([queue, definition]) => (definition.service === service ? [queue] : []));
  for (const queue of own) {
    ages.startAtZero({ queue });
    for (const outcome of ['done', 'retry', 'dead']) handling.startAtZero({ queue, outcome });
  }
  const rows = seldom(async () =>
    driver.queuesAreRows ? database.transaction(undefined, (tx) => queueBacklogs(tx, own)) : [],
  );
  const watched = [
    connected.watch(() => [{ labels, value: driver.up ? 1 : 0 }]),
    outboxLag.watch(async () => [{ labels, value: (await outbox()).seconds }]),
    outboxMessages.watch(async () => [{ labels, value: (await outbox()).count }]),
    queueLag.watch(shown(({ seconds }) => seconds)),
    queueMessages.watch(shown(({ count }) => count)),
    deadMessages.watch(shown(({ dead }) => dead)),
  ];
  return {
    isBehind: async () =>
      (await outbox()).seconds > outboxBehindSeconds ||
      (await rows()).some(({ seconds }) => seconds > queueBehindSeconds),
    forget: () => {
      for (const each of watched) each();
    },
  };

  function shown(value: (found: Awaited<ReturnType<typeof rows>>[number]) => number) {
    return async () => (await rows()).map((found) => ({ labels: { queue: found.queue }, value: value(found) }));
  }
}
