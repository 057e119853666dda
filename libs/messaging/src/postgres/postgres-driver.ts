import type { ServiceName } from '@idsync/contracts';
import type { AnnounceEvents, Database } from '@idsync/database';
import { listenToEvents } from '@idsync/database/bus';
import { closeInTurn, closeTogether, type Logger } from '@idsync/runtime';
import { queuesOf } from '../delivery.js';
import type { Backoff, BusDriver, Deliver } from '../driver.js';
import { batchSize, forwardOutbox } from './forward-outbox.js';
import { PostgresConsumer } from './postgres-consumer.js';

export interface PostgresDriverOptions {
  service: ServiceName;
  database: Database;
  logger: Logger;
  backoff: Backoff;
}

/**
 * The bus without a broker: queues are rows, notifications wake the consumers, and polling covers lost notifications.
 */
export class PostgresDriver implements BusDriver {
  readonly up = true;
  readonly queuesAreRows = true;
  readonly version = undefined;
  readonly announceEvents = undefined;
  private readonly consumers: PostgresConsumer[] = [];
  private unlisten: (() => Promise<void>) | undefined;

  constructor(private readonly options: PostgresDriverOptions) {}

  async consume(deliver: Deliver): Promise<void> {
    const { database, service, logger, backoff } = this.options;
    for (const [queue, definition] of queuesOf(service)) {
      const consumer = new PostgresConsumer(database, queue, definition, deliver, backoff, logger);
      this.consumers.push(consumer);
      consumer.start();
    }
    this.listen();
  }

  async stopConsuming(): Promise<void> {
    const consumers = this.consumers.splice(0);
    await closeInTurn(
      () => closeTogether(...consumers.map((consumer) => () => consumer.stop())),
      () => this.unlisten?.(),
    );
    this.unlisten = undefined;
  }

  async forwardOutbox(): Promise<boolean> {
    return (await forwardOutbox(this.options.database)) === batchSize;
  }

  listenToEvents(onEvents: AnnounceEvents, onListening: () => void): () => Promise<void> {
    return listenToEvents(this.options.database, onEvents, onListening);
  }

  async depths(): Promise<undefined> {
    return undefined;
  }

  async close(): Promise<void> {
    await this.stopConsuming();
  }

  private listen(): void {
    if (this.consumers.length === 0) return;
    this.unlisten = this.options.database.listen(
      'idsync_bus',
      (queue) => this.wake(queue),
      () => this.wake(),
    );
  }

  /** Wakes the consumer of a queue; without a name, all. */
  private wake(queue?: string): void {
    for (const consumer of this.consumers) if (queue === undefined || consumer.queue === queue) consumer.wake();
  }
}
