import type { QueueDefinition, QueueName, ServiceName } from '@idsync/contracts';
import type { AnnounceEvents, Database, Transaction } from '@idsync/database';
import { keepDeadLetter, type NewDeadLetter, postpone, sendPostponed } from '@idsync/database/bus';
import { closeTogether, type Logger } from '@idsync/runtime';
import type { Outcome } from '../delivery.js';
import { queuesOf } from '../delivery.js';
import { type Backoff, type BusDriver, type Deliver, postponedAttempt, type QueueDepth } from '../driver.js';
import { Housekeeping } from '../housekeeping.js';
import { AmqpConnection } from './amqp-connection.js';
import { AmqpConsumer, type HandleMessage } from './amqp-consumer.js';
import { ofDeadQueue, toDeadLetter, toDelivery } from './amqp-delivery.js';
import { AmqpPublisher } from './amqp-publisher.js';
import { EventAnnouncer } from './event-announcer.js';
import { EventListener } from './event-listener.js';
import { OutboxForwarder } from './forward-outbox.js';
import { queueDepths } from './queue-depths.js';

/** Dead letters that one process stores at the same time. */
const deadPrefetch = 10;
/** Postponed messages that one statement sends again. */
const postponedBatch = 100;

export interface AmqpDriverOptions {
  url: string;
  service: ServiceName;
  database: Database;
  logger: Logger;
  backoff: Backoff;
}

export class AmqpDriver implements BusDriver {
  readonly queuesAreRows = false;
  readonly announceEvents: AnnounceEvents;
  private readonly forwarder: OutboxForwarder;
  private readonly consumers: AmqpConsumer[] = [];
  private readonly resending: Housekeeping;

  private constructor(
    private readonly connection: AmqpConnection,
    private readonly options: AmqpDriverOptions,
  ) {
    this.forwarder = new OutboxForwarder(options.database, new AmqpPublisher(connection), options.logger);
    const announcer = new EventAnnouncer(connection);
    this.announceEvents = (tenantId, last) => announcer.announce(tenantId, last);
    const { database, service, backoff, logger } = options;
    const own = queuesOf(service).map(([queue]) => queue);
    const run = () => database.withoutTenant((tx) => sendPostponed(tx, own, postponedBatch));
    const chore = { name: 'sending postponed messages again', batchSize: postponedBatch, run };
    this.resending = new Housekeeping([chore], backoff(postponedAttempt), logger);
  }

  static async connect(options: AmqpDriverOptions): Promise<AmqpDriver> {
    const connection = await AmqpConnection.open(options.url, options.service, options.logger);
    return new AmqpDriver(connection, options);
  }

  listenToEvents(onEvents: AnnounceEvents, onListening: () => void): () => Promise<void> {
    const { service, logger } = this.options;
    const listener = new EventListener(this.connection, `${service}.events`, { onEvents, onListening }, logger);
    listener.start();
    return () => listener.stop();
  }

  get up(): boolean {
    return this.connection.current !== undefined;
  }

  get version(): string | undefined {
    return this.connection.version;
  }

  depths(): Promise<ReadonlyMap<string, QueueDepth> | undefined> {
    return queueDepths(this.connection);
  }

  async consume(deliver: Deliver): Promise<void> {
    for (const [queue, definition] of queuesOf(this.options.service)) {
      await this.start(queue, definition.prefetch, this.handling(queue, deliver));
      await this.start(`${queue}.dead`, deadPrefetch, this.keeping(queue, definition));
    }
    this.resending.start();
  }

  private async start(queue: string, prefetch: number, handle: HandleMessage): Promise<void> {
    const { database, backoff, logger } = this.options;
    const answers = () =>
      database.ping(0).then(
        () => true,
        () => false,
      );
    const consumer = new AmqpConsumer(this.connection, queue, prefetch, handle, backoff, answers, logger);
    this.consumers.push(consumer);
    await consumer.start();
  }

  /**
   * Stores a dead letter with its error before the broker moves it, which keeps no error. A postponed message becomes a
   * row, because the broker counts each delivery.
   */
  private handling(queue: QueueName, deliver: Deliver): HandleMessage {
    return async (message, attempts) => {
      const outcome = await deliver(toDelivery(queue, message, attempts));
      if (outcome.kind === 'done' || outcome.kind === 'retry') return outcome;
      const letter = toDeadLetter(queue, message, { attempts, reason: outcome.reason });
      if (outcome.kind === 'postponed') {
        const pauseMs = this.options.backoff(postponedAttempt);
        return this.store(queue, (tx) => postpone(tx, letter, pauseMs));
      }
      await this.keep(letter);
      return outcome;
    };
  }

  /** Moves dead letters from the broker into the database, where operators inspect them. */
  private keeping(queue: QueueName, definition: QueueDefinition): HandleMessage {
    return (message) => this.keep(ofDeadQueue(queue, definition, message));
  }

  private keep(letter: NewDeadLetter): Promise<Outcome> {
    return this.store(letter.queue, (tx) => keepDeadLetter(tx, letter));
  }

  private async store(queue: string, save: (tx: Transaction) => Promise<void>): Promise<Outcome> {
    const { database, logger } = this.options;
    try {
      await database.withoutTenant(save);
      return { kind: 'done' };
    } catch (error) {
      logger.warn({ err: error, queue }, 'storing a message failed, will retry');
      return { kind: 'retry', reason: String(error) };
    }
  }

  async stopConsuming(): Promise<void> {
    const consumers = this.consumers.splice(0).map((consumer) => () => consumer.stop());
    await closeTogether(...consumers, () => this.resending.stop());
  }

  async forwardOutbox(token: number): Promise<boolean> {
    return this.forwarder.forward(token);
  }

  async close(): Promise<void> {
    await this.connection.close();
  }
}
