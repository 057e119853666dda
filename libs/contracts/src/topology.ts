import type { MessageType } from './messages.js';

/** The services, each with its own database role. */
export const services = ['gateway', 'directory', 'sync-worker', 'webhook-dispatcher'] as const;
export type ServiceName = (typeof services)[number];

export interface QueueDefinition {
  service: ServiceName;
  /** Message types routed here when published. */
  binds: readonly MessageType[];
  /** Dead-lettered message types of other queues that are routed here; the handler's pattern is `dead.<type>`. */
  bindsDead?: readonly MessageType[];
  /** Maximum number of messages that one process handles at the same time. */
  prefetch: number;
  /** Maximum number of deliveries, including failed ones, before a message is moved to `<queue>.dead`. */
  deliveryLimit: number;
}

/** The topic exchange of all messages, and the exchange of dead-lettered ones. */
export const exchange = 'idsync';
export const deadLetterExchange = 'idsync.dead';

export const queues = {
  'sync-worker.jobs': {
    service: 'sync-worker',
    binds: ['sync.job.requested', 'sync.job.cancel_requested', 'sync.job.release_requested', 'sync.record.overtaken'],
    prefetch: 10,
    deliveryLimit: 20,
  },
  'sync-worker.progress': {
    service: 'sync-worker',
    binds: ['sync.batch.applied', 'sync.sweep.ended', 'sync.sweep.held'],
    prefetch: 10,
    deliveryLimit: 20,
  },
  'sync-worker.probes': {
    service: 'sync-worker',
    binds: ['connector.probe.requested'],
    prefetch: 2,
    deliveryLimit: 3,
  },
  'sync-worker.dead-batches': {
    service: 'sync-worker',
    binds: [],
    bindsDead: ['sync.batch.ready', 'sync.record.ready', 'sync.sweep.requested'],
    prefetch: 1,
    deliveryLimit: 20,
  },
  'directory.batches': {
    service: 'directory',
    binds: ['sync.batch.ready'],
    prefetch: 2,
    deliveryLimit: 10,
  },
  // Separate from the batches of large runs, because a request waits for the result.
  'directory.records': {
    service: 'directory',
    binds: ['sync.record.ready'],
    prefetch: 1,
    deliveryLimit: 10,
  },
  'directory.sweeps': {
    service: 'directory',
    binds: ['sync.sweep.requested'],
    prefetch: 2,
    deliveryLimit: 10,
  },
  'directory.matching': {
    service: 'directory',
    binds: ['sync.job.ended'],
    prefetch: 1,
    deliveryLimit: 20,
  },
  'directory.operations': {
    service: 'directory',
    binds: ['directory.operation.requested'],
    prefetch: 2,
    deliveryLimit: 10,
  },
  'directory.dead-operations': {
    service: 'directory',
    binds: [],
    bindsDead: ['directory.operation.requested'],
    prefetch: 1,
    deliveryLimit: 20,
  },
  'webhook-dispatcher.replays': {
    service: 'webhook-dispatcher',
    binds: ['webhook.replay.requested', 'webhook.replay.cancel_requested'],
    prefetch: 2,
    deliveryLimit: 20,
  },
} as const satisfies Record<string, QueueDefinition>;

export type QueueName = keyof typeof queues;
