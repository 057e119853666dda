import type { ServiceName } from '@idsync/contracts';
import type { AnnounceEvents, Database } from '@idsync/database';
import { closeInTurn, closeTogether, type Logger, type ShutdownFailures, silentLogger } from '@idsync/runtime';
import type { BeforeApplicationShutdown, OnApplicationShutdown } from '@nestjs/common';
import { AmqpDriver } from './amqp/amqp-driver.js';
import { BusStrategy } from './bus.strategy.js';
import { deleteReceived } from './delete-received.js';
import type { Backoff, BusDriver } from './driver.js';
import { doublingBackoff } from './driver.js';
import { Housekeeping } from './housekeeping.js';
import { type BusWatch, watchBus } from './metrics.js';
import { OutboxRelay } from './outbox-relay.js';
import { PostgresDriver } from './postgres/postgres-driver.js';
import { ProcessReports } from './process-reports.js';
import { type QueueState, queueStates } from './queue-states.js';

export interface BusOptions {
  service: ServiceName;
  database: Database;
  /** Address of RabbitMQ; without it, queues are rows of the database. */
  amqpUrl?: string;
  logger?: Logger;
  /** Delay before a retry; by default 0.1 s doubling to 30 s. */
  backoff?: Backoff;
  failures?: ShutdownFailures;
  /** True for a tenant whose messages are acknowledged without a handler; by default false. */
  isIgnored?: (tenantId: string) => Promise<boolean>;
}

const inboxEveryMs = 10 * 60_000;

/** The bus of one service: its consumers and its outbox relay. */
export class Bus implements BeforeApplicationShutdown, OnApplicationShutdown {
  readonly strategy: BusStrategy;
  /** Counts the messages of all queues; waits at most two seconds for the broker. */
  readonly queues: () => Promise<QueueState[]>;
  private readonly relay: OutboxRelay;
  private readonly housekeeping: Housekeeping;
  private readonly watch: BusWatch;
  private readonly reports: ProcessReports;

  private constructor(
    private readonly driver: BusDriver,
    private readonly failures: ShutdownFailures | undefined,
    {
      service,
      database,
      logger,
      isIgnored,
    }: Required<Pick<BusOptions, 'service' | 'database' | 'logger' | 'isIgnored'>>,
  ) {
    this.strategy = new BusStrategy(service, driver, logger, isIgnored);
    this.relay = new OutboxRelay(database, driver, logger);
    this.housekeeping = new Housekeeping([deleteReceived(database)], inboxEveryMs, logger);
    this.watch = watchBus(database, service, driver);
    this.reports = new ProcessReports(database, service, driver, this.watch, logger);
    this.queues = () => queueStates(database, driver);
    database.announceEvents = driver.announceEvents;
    this.relay.start();
    this.housekeeping.start();
    this.reports.start();
  }

  /** Opens the bus and starts its outbox relay, without waiting for an unavailable broker. */
  static async open(options: BusOptions): Promise<Bus> {
    const { service, database, amqpUrl, logger = silentLogger, backoff = doublingBackoff, failures } = options;
    const { isIgnored = async () => false } = options;
    const driver: BusDriver = amqpUrl
      ? await AmqpDriver.connect({ url: amqpUrl, service, database, logger, backoff })
      : new PostgresDriver({ service, database, logger, backoff });
    return new Bus(driver, failures, { service, database, logger, isIgnored });
  }

  /** False while RabbitMQ is unavailable; outgoing messages then wait in the outbox. */
  get up(): boolean {
    return this.driver.up;
  }

  /** The broker and its version while it is connected. */
  get broker(): { kind: 'rabbitmq' | 'postgresql'; version: string | undefined } {
    return { kind: this.driver.queuesAreRows ? 'postgresql' : 'rabbitmq', version: this.driver.version };
  }

  /**
   * Calls `onEvents` after commits of events by any process; some may be lost. `onListening` is called whenever listening
   * has begun. Returns a function that stops listening.
   */
  listenToEvents(onEvents: AnnounceEvents, onListening: () => void): () => Promise<void> {
    return this.driver.listenToEvents(onEvents, onListening);
  }

  /** True if messages have waited in the outbox or in database queues for minutes; cached for ten seconds. */
  isBehind(): Promise<boolean> {
    return this.watch.isBehind();
  }

  /** Waits for messages in progress; Nest has closed the strategy before. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.failures?.of(this.strategy.stop());
  }

  /** Publishes what HTTP requests have enqueued until now. */
  async onApplicationShutdown(): Promise<void> {
    await this.failures?.of(this.close());
  }

  /** Stops consuming, waits for messages in progress (bounded), stops the relay and closes the broker connection. */
  async close(): Promise<void> {
    await closeInTurn(
      () => this.watch.stop(),
      () => this.strategy.stop(),
      () =>
        closeTogether(
          () => this.relay.stop(),
          () => this.housekeeping.stop(),
          () => this.reports.stop(),
        ),
      () => this.driver.close(),
    );
  }
}
