import type { MessageType } from './messages.js';

/** The services, each with its own database role. */
export const services = ['gateway', 'directory', 'sync-worker', 'webhook-dispatcher'] as const;
export type ServiceName = (typeof services)[number];

export interface QueueDefinition {
  service: ServiceName;
  /** Message types routed here when published. */
  binds: readonly MessageType[];
  /** Message types routed here when another queue gives them up; the handler's pattern is then `dead.<type>`. */
  bindsDead?: readonly MessageType[];
  /** Messages of one ordering key are handled one after another, in the order they were published. */
  ordered: boolean;
  /** Messages one process handles at the same time. */
  prefetch: number;
  /** Deliveries, failed ones included, before a message is moved to `<queue>.dead`. */
  deliveryLimit: number;
}

/** The topic exchange everything is published to, and the one given-up messages go to. */
export const exchange = 'idsync';
export const deadLetterExchange = 'idsync.dead';

export const queues = {
  'sync-worker.jobs': {
    service: 'sync-worker',
    binds: ['sync.job.requested', 'sync.job.cancel_requested', 'sync.job.release_requested', 'sync.record.overtaken'],
    ordered: false,
    prefetch: 10,
    deliveryLimit: 20,
  },
  'sync-worker.progress': {
    service: 'sync-worker',
    binds: ['sync.batch.applied', 'sync.sweep.ended', 'sync.sweep.held'],
    ordered: false,
    prefetch: 10,
    deliveryLimit: 20,
  },
  'sync-worker.probes': {
    service: 'sync-worker',
    binds: ['connector.probe.requested'],
    ordered: false,
    prefetch: 2,
    deliveryLimit: 3,
  },
  'sync-worker.dead-batches': {
    service: 'sync-worker',
    binds: [],
    bindsDead: ['sync.batch.ready', 'sync.sweep.requested'],
    ordered: false,
    prefetch: 1,
    deliveryLimit: 20,
  },
  'directory.batches': {
    service: 'directory',
    binds: ['sync.batch.ready'],
    ordered: false,
    prefetch: 2,
    deliveryLimit: 10,
  },
  'directory.sweeps': {
    service: 'directory',
    binds: ['sync.sweep.requested'],
    ordered: false,
    prefetch: 2,
    deliveryLimit: 10,
  },
  'directory.matching': {
    service: 'directory',
    binds: ['sync.job.ended'],
    ordered: false,
    prefetch: 1,
    deliveryLimit: 20,
  },
  'directory.operations': {
    service: 'directory',
    binds: ['directory.operation.requested'],
    ordered: false,
    prefetch: 2,
    deliveryLimit: 10,
  },
  'directory.dead-operations': {
    service: 'directory',
    binds: [],
    bindsDead: ['directory.operation.requested'],
    ordered: false,
    prefetch: 1,
    deliveryLimit: 20,
  },
  'webhook-dispatcher.facts': {
    service: 'webhook-dispatcher',
    binds: ['facts.recorded'],
    ordered: true,
    prefetch: 20,
    deliveryLimit: 20,
  },
  'webhook-dispatcher.replays': {
    service: 'webhook-dispatcher',
    binds: ['webhook.replay.requested', 'webhook.replay.cancel_requested'],
    ordered: false,
    prefetch: 2,
    deliveryLimit: 20,
  },
} as const satisfies Record<string, QueueDefinition>;

export type QueueName = keyof typeof queues;
