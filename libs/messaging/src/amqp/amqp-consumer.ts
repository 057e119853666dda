import type { QueueDefinition, QueueName } from '@idsync/contracts';
import { farewell } from '@idsync/runtime';
import type { Channel, ConsumeMessage } from 'amqplib';
import type { Delivery, Outcome } from '../delivery.js';
import { type Backoff, type BusLogger, type Deliver, drainMs, notDrained } from '../driver.js';
import { InFlight } from '../in-flight.js';
import { pause } from '../pause.js';
import type { AmqpConnection } from './amqp-connection.js';

/** How long to leave a queue alone after the broker cancelled its consumer. */
const recoverMs = 1_000;

/**
 * Takes messages of one queue. A failed one is held for its backoff and then rejected with requeue, which the broker
 * counts. On an ordered queue it is tried again in place, since a requeued message would be overtaken; and one at a time,
 * since a crash counts against every message in hand, and would in the end bury the innocent with the guilty. Nothing is
 * tried again before the database answers: however long that is away, it costs a message one attempt.
 */
export class AmqpConsumer {
  private readonly stopping = new AbortController();
  private readonly inFlight = new InFlight();
  private channel: Channel | undefined;
  private consumerTag: string | undefined;
  private subscribing: Promise<void> = Promise.resolve();

  constructor(
    private readonly connection: AmqpConnection,
    private readonly queue: QueueName,
    private readonly definition: QueueDefinition,
    private readonly deliver: Deliver,
    private readonly backoff: Backoff,
    private readonly databaseAnswers: () => Promise<boolean>,
    private readonly log: BusLogger,
  ) {}

  async start(): Promise<void> {
    await this.connection.whenUp(this.subscribe);
  }

  async stop(): Promise<void> {
    this.connection.forget(this.subscribe);
    this.stopping.abort();
    await this.subscribing.catch(() => undefined);
    const { channel, consumerTag } = this;
    if (channel && consumerTag) await farewell(channel.cancel(consumerTag));
    const drained = await this.inFlight.drained(drainMs);
    if (channel) await farewell(channel.close());
    if (!drained) throw notDrained(this.queue);
  }

  /** One at a time: a reconnection and a recovery may want it in the same moment, and one channel is enough. */
  private readonly subscribe = (): Promise<void> => {
    this.subscribing = this.subscribing.catch(() => undefined).then(() => this.open());
    return this.subscribing;
  };

  private async open(): Promise<void> {
    const model = this.connection.current;
    if (this.stopping.signal.aborted || this.channel || !model) return;
    const channel = await model.createChannel();
    channel.on('error', (error: unknown) => this.log.warn(`${this.queue}: ${String(error)}`));
    channel.once('close', () => this.lost(channel));
    this.channel = channel;
    await channel.prefetch(this.definition.ordered ? 1 : this.definition.prefetch);
    const { consumerTag } = await channel.consume(this.queue, (message) => this.received(channel, message));
    this.consumerTag = consumerTag;
  }

  private received(channel: Channel, message: ConsumeMessage | null): void {
    if (message === null) {
      this.log.warn(`${this.queue}: the broker cancelled the consumer`);
      void channel.close().catch(() => undefined);
      return;
    }
    // Unsettled, it goes back to the queue when the channel closes.
    if (!this.stopping.signal.aborted) this.inFlight.add(this.handle(channel, message));
  }

  private async handle(channel: Channel, message: ConsumeMessage): Promise<void> {
    for (let attempt = deliveryCount(message) + 1; this.channel === channel; attempt += 1) {
      const outcome = await this.deliver(toDelivery(this.queue, message, attempt));
      if (outcome.kind !== 'retry') return this.settle(channel, message, outcome);
      await this.hold(channel, attempt);
      if (!this.definition.ordered) return this.settle(channel, message, outcome);
      if (this.stopping.signal.aborted) return;
    }
  }

  /** For its backoff, and as often as that until the database answers. */
  private async hold(channel: Channel, attempt: number): Promise<void> {
    const { signal } = this.stopping;
    for (let look = attempt; ; look += 1) {
      await pause(this.backoff(look), signal);
      if (signal.aborted || this.channel !== channel || (await this.databaseAnswers())) return;
    }
  }

  /** A delivery of a channel that is gone was given back by the broker already. */
  private settle(channel: Channel, message: ConsumeMessage, outcome: Outcome): void {
    if (this.channel !== channel) return;
    if (outcome.kind === 'done') channel.ack(message);
    else channel.reject(message, outcome.kind === 'retry');
  }

  private lost(channel: Channel): void {
    if (this.channel !== channel) return;
    this.channel = undefined;
    this.consumerTag = undefined;
    void this.recover();
  }

  /** A connection that is lost comes back by itself and subscribes again; a channel alone is opened again here. */
  private async recover(): Promise<void> {
    while (!this.stopping.signal.aborted && !this.channel && this.connection.current) {
      await pause(recoverMs, this.stopping.signal);
      try {
        await this.connection.restoreTopology();
        await this.subscribe();
      } catch (error) {
        this.log.warn(`${this.queue}: not consuming yet: ${String(error)}`);
      }
    }
  }
}

function toDelivery(queue: QueueName, message: ConsumeMessage, attempt: number): Delivery {
  const properties = message.properties as { type?: string };
  const type = properties.type ?? message.fields.routingKey;
  return { system: 'rabbitmq', queue, type, body: message.content.toString('utf8'), attempt };
}

function deliveryCount(message: ConsumeMessage): number {
  const count: unknown = message.properties.headers?.['x-delivery-count'];
  return typeof count === 'number' ? count : 0;
}
