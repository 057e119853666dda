import type { AnnounceEvents } from '@idsync/database';
import type { Delivery, Outcome } from './delivery.js';

/** Returns the milliseconds before the next attempt. */
export type Backoff = (attempt: number) => number;

export type Deliver = (delivery: Delivery) => Promise<Outcome>;

/** Transport of the bus: RabbitMQ or PostgreSQL. */
export interface BusDriver {
  /** False while there is no connection to the broker. */
  readonly up: boolean;
  /** True if the queues are rows of the database. */
  readonly queuesAreRows: boolean;
  /** Starts consuming this service's queues, at most `prefetch` messages of each at a time. */
  consume(deliver: Deliver): Promise<void>;
  /** Stops consuming and waits for messages in progress; throws after a time limit. */
  stopConsuming(): Promise<void>;
  /** Publishes the oldest outbox rows of this service; returns whether more may be waiting. Throws on failure. */
  forwardOutbox(token: number): Promise<boolean>;
  /** Announces committed events to other processes; undefined if PostgreSQL does. */
  readonly announceEvents: AnnounceEvents | undefined;
  /**
   * Calls `onEvents` after commits of events by any process, which may be lost while there is no connection. `onListening`
   * is called whenever listening has begun. Returns a function that stops listening.
   */
  listenToEvents(onEvents: AnnounceEvents, onListening: () => void): () => Promise<void>;
  /** Counts the messages of the broker's queues. Undefined while it is unavailable, and if the queues are rows. */
  depths(): Promise<ReadonlyMap<string, QueueDepth> | undefined>;
  /** Version of the broker; undefined without one, and while it is not connected. */
  readonly version: string | undefined;
  close(): Promise<void>;
}

export interface QueueDepth {
  messages: number;
  consumers: number;
  /** Dead letters that are not in the database yet. */
  dead: number;
}

/** How long a stopping consumer waits for messages in progress, in milliseconds. */
export const drainMs = 20_000;

/** The messages are redelivered to another consumer. */
export function notDrained(queue: string): Error {
  return new Error(`${queue}: messages still in progress after ${drainMs / 1_000} s`);
}

const firstMs = 100;
const maxMs = 30_000;

/** The delay of a postponed message is the longest. */
export const postponedAttempt = 20;

/** Returns the milliseconds before the next attempt: doubling from 0.1 s to 30 s, with a jitter of up to half. */
export function doublingBackoff(attempt: number, random: () => number = Math.random): number {
  const full = Math.min(maxMs, firstMs * 2 ** Math.min(attempt - 1, postponedAttempt));
  return Math.round(full / 2 + (full / 2) * random());
}
