import type { ServiceName } from '@idsync/contracts';
import type { Database } from '@idsync/database';
import { closeTogether, type Logger } from '@idsync/runtime';
import type { Backoff, BusDriver, Deliver } from '../driver.js';
import { queuesOf } from '../queues-of.js';
import { AmqpConnection } from './amqp-connection.js';
import { AmqpConsumer } from './amqp-consumer.js';
import { AmqpPublisher } from './amqp-publisher.js';
import { OutboxForwarder } from './forward-outbox.js';

export interface AmqpDriverOptions {
  url: string;
  service: ServiceName;
  database: Database;
  logger: Logger;
  backoff: Backoff;
}

export class AmqpDriver implements BusDriver {
  readonly queuesAreRows = false;
  private readonly forwarder: OutboxForwarder;
  private readonly consumers: AmqpConsumer[] = [];

  private constructor(
    private readonly connection: AmqpConnection,
    private readonly options: AmqpDriverOptions,
  ) {
    this.forwarder = new OutboxForwarder(options.database, new AmqpPublisher(connection), options.logger);
  }

  static async connect(options: AmqpDriverOptions): Promise<AmqpDriver> {
    const connection = await AmqpConnection.open(options.url, options.service, options.logger);
    return new AmqpDriver(connection, options);
  }

  get up(): boolean {
    return this.connection.current !== undefined;
  }

  async consume(deliver: Deliver): Promise<void> {
    const { service, database, backoff, logger } = this.options;
    const answers = () =>
      database.ping(0).then(
        () => true,
        () => false,
      );
    for (const [queue, definition] of queuesOf(service)) {
      const consumer = new AmqpConsumer(this.connection, queue, definition, deliver, backoff, answers, logger);
      this.consumers.push(consumer);
      await consumer.start();
    }
  }

  async stopConsuming(): Promise<void> {
    await closeTogether(...this.consumers.splice(0).map((consumer) => () => consumer.stop()));
  }

  async forwardOutbox(token: number): Promise<number> {
    return this.forwarder.forward(token);
  }

  async close(): Promise<void> {
    await this.connection.close();
  }
}
