import type { Delivery, Outcome } from './delivery.js';

/** What a driver needs from the house: a place for words about trouble. Never secrets, never payloads. */
export interface BusLogger {
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}

/** Milliseconds before the next attempt, after so many. */
export type Backoff = (attempt: number) => number;

export type Deliver = (delivery: Delivery) => Promise<Outcome>;

/** RabbitMQ or PostgreSQL, behind the same contract. */
export interface BusDriver {
  /** False while there is no connection to the broker. */
  readonly up: boolean;
  /** True where the queues are rows of the database, and false where a broker keeps them. */
  readonly queuesAreRows: boolean;
  /** Starts taking messages of this service's queues, at most `prefetch` of each at a time. */
  consume(deliver: Deliver): Promise<void>;
  /** Takes no more messages and waits for those being handled; throws if that takes longer than its bound. */
  stopConsuming(): Promise<void>;
  /** Publishes the oldest outbox rows of this service; the number that left the outbox. Throws if it cannot. */
  forwardOutbox(token: number): Promise<number>;
  close(): Promise<void>;
}

/** Milliseconds a stopping consumer waits for what is being handled. */
export const drainMs = 20_000;

/** They come again, to another consumer. */
export function notDrained(queue: string): Error {
  return new Error(`${queue}: messages were still being handled after ${drainMs / 1_000} s`);
}
