import { type QueueName, queues, type ServiceName, uuidCreatedAt } from '@idsync/contracts';
import type { Database } from '@idsync/database';
import { type Backlog, outboxBacklog, queueBacklogs } from '@idsync/database/bus';
import { cached, durations, gauge } from '@idsync/runtime';

/** By outcome (`done`, `retry`, `postponed` or `dead`); the count is the number of messages. */
export const handling = durations({
  name: 'bus_handling_duration_seconds',
  help: 'Duration of message handling, by queue and outcome.',
  labels: ['queue', 'outcome'],
});

export const ages = durations(
  {
    name: 'bus_message_age_seconds',
    help: 'Age of messages when they are first taken from their queue.',
    labels: ['queue'],
  },
  'wait',
);

/** Records the age that a message had at a time, read from its UUIDv7. */
export function observeAge(queue: QueueName, messageId: string, at: number): void {
  const announcedAt = uuidCreatedAt(messageId);
  if (announcedAt !== undefined) ages.observe({ queue }, Math.max(0, at - announcedAt) / 1_000);
}

const connected = gauge({
  name: 'bus_connected',
  help: '1 while a service is connected to the broker; always 1 with queues in PostgreSQL.',
  labels: ['service'],
});
const outboxLag = gauge({
  name: 'outbox_lag_seconds',
  help: 'Age of the oldest unpublished message in the outbox of a service.',
  labels: ['service'],
});
const outboxMessages = gauge({
  name: 'outbox_messages',
  help: 'Unpublished messages in the outbox of a service; counted up to 1000.',
  labels: ['service'],
});
const queueLag = gauge({
  name: 'bus_queue_lag_seconds',
  help: 'Age of the oldest waiting message of a PostgreSQL queue. RabbitMQ reports its own queues.',
  labels: ['queue'],
});
const queueMessages = gauge({
  name: 'bus_queue_messages',
  help: 'Waiting messages of a PostgreSQL queue; counted up to 1000.',
  labels: ['queue'],
});
const deadMessages = gauge({
  name: 'bus_queue_dead_messages',
  help: 'Dead-lettered messages of a queue in the database; counted up to 1000.',
  labels: ['queue'],
});

/** Same thresholds as the alerts IdsyncOutboxStuck and IdsyncQueueBehind. */
const outboxBehindSeconds = 120;
const queueBehindSeconds = 600;

export interface BusWatch {
  /** Unpublished messages of the service. */
  outbox(): Promise<Backlog>;
  /** True if messages have waited too long in the service's outbox or in its PostgreSQL queues. */
  isBehind(): Promise<boolean>;
  stop(): void;
}

/** Registers the metrics of a service's bus until `stop` is called. */
export function watchBus(
  database: Database,
  service: ServiceName,
  driver: { readonly up: boolean; readonly queuesAreRows: boolean },
): BusWatch {
  const outbox = cached(() => database.withoutTenant(outboxBacklog));
  const labels = { service };
  const own = Object.entries(queues).flatMap(([queue, definition]) => (definition.service === service ? [queue] : []));
  for (const queue of own) {
    ages.startAtZero({ queue });
    for (const outcome of ['done', 'retry', 'postponed', 'dead']) handling.startAtZero({ queue, outcome });
  }
  const backlogs = cached(() => database.withoutTenant((tx) => queueBacklogs(tx, own)));
  const rows = async () => (driver.queuesAreRows ? backlogs() : []);
  const watched = [
    connected.watch(() => [{ labels, value: driver.up ? 1 : 0 }]),
    outboxLag.watch(async () => [{ labels, value: (await outbox()).seconds }]),
    outboxMessages.watch(async () => [{ labels, value: (await outbox()).count }]),
    queueLag.watch(shown(rows, ({ seconds }) => seconds)),
    queueMessages.watch(shown(rows, ({ count }) => count)),
    deadMessages.watch(shown(backlogs, ({ dead }) => dead)),
  ];
  return {
    outbox,
    isBehind: async () =>
      (await outbox()).seconds > outboxBehindSeconds ||
      (await rows()).some(({ seconds }) => seconds > queueBehindSeconds),
    stop: () => {
      for (const each of watched) each();
    },
  };

  function shown(read: typeof rows, value: (found: Awaited<ReturnType<typeof rows>>[number]) => number) {
    return async () => (await read()).map((found) => ({ labels: { queue: found.queue }, value: value(found) }));
  }
}
