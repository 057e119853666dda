import { closeWithin, type Logger, pause, within } from '@idsync/runtime';
import type { Channel, ConsumeMessage } from 'amqplib';
import type { Outcome } from '../delivery.js';
import { type Backoff, drainMs, notDrained } from '../driver.js';
import { InFlight } from '../in-flight.js';
import type { AmqpConnection } from './amqp-connection.js';
import { deliveryCount } from './amqp-delivery.js';

/** Handles one delivery of a message; never throws. */
export type HandleMessage = (message: ConsumeMessage, attempt: number) => Promise<Outcome>;

/** Pause before a consumer is opened again that the broker cancelled. */
const recoverMs = 1_000;
const recoverWithinMs = 60_000;

/**
 * Consumes one queue. A failed message is held for its backoff and then rejected with requeue, which the broker counts.
 * A retry also waits until the database answers, so that an outage costs a message one attempt.
 */
export class AmqpConsumer {
  private readonly stopping = new AbortController();
  private readonly inFlight = new InFlight();
  private channel: Channel | undefined;
  private consumerTag: string | undefined;
  private subscribing: Promise<void> = Promise.resolve();

  constructor(
    private readonly connection: AmqpConnection,
    private readonly queue: string,
    private readonly prefetch: number,
    private readonly handleMessage: HandleMessage,
    private readonly backoff: Backoff,
    private readonly databaseAnswers: () => Promise<boolean>,
    private readonly log: Logger,
  ) {}

  async start(): Promise<void> {
    await this.connection.whenUp(this.subscribe);
  }

  async stop(): Promise<void> {
    this.connection.removeListener(this.subscribe);
    this.stopping.abort();
    await closeWithin(this.subscribing);
    const { channel, consumerTag } = this;
    if (channel && consumerTag) await closeWithin(channel.cancel(consumerTag));
    const drained = await this.inFlight.drained(drainMs);
    if (channel) await closeWithin(channel.close());
    if (!drained) throw notDrained(this.queue);
  }

  /** Runs one subscription at a time, because a reconnection and a recovery may coincide and one channel is enough. */
  private readonly subscribe = (): Promise<void> => {
    this.subscribing = this.subscribing.catch(() => undefined).then(() => this.open());
    return this.subscribing;
  };

  private async open(): Promise<void> {
    const model = this.connection.current;
    if (this.stopping.signal.aborted || this.channel || !model) return;
    const channel = await model.createChannel();
    channel.on('error', (err: unknown) => this.log.warn({ err, queue: this.queue }, 'RabbitMQ closed a channel'));
    channel.once('close', () => this.lost(channel));
    this.channel = channel;
    await channel.prefetch(this.prefetch);
    const { consumerTag } = await channel.consume(this.queue, (message) => this.received(channel, message));
    this.consumerTag = consumerTag;
  }

  private received(channel: Channel, message: ConsumeMessage | null): void {
    if (message === null) {
      this.log.warn({ queue: this.queue }, 'RabbitMQ cancelled a consumer');
      void channel.close().catch(() => undefined);
      return;
    }
    // An unsettled message returns to the queue when the channel closes.
    if (!this.stopping.signal.aborted) this.inFlight.add(this.handle(channel, message));
  }

  private async handle(channel: Channel, message: ConsumeMessage): Promise<void> {
    const attempt = deliveryCount(message) + 1;
    const outcome = await this.handleMessage(message, attempt);
    if (outcome.kind === 'retry') await this.hold(channel, attempt);
    this.settle(channel, message, outcome);
  }

  /** Waits for the backoff, and for further ones until the database answers. */
  private async hold(channel: Channel, attempt: number): Promise<void> {
    const { signal } = this.stopping;
    for (let nth = attempt; ; nth += 1) {
      await pause(this.backoff(nth), signal);
      if (signal.aborted || this.channel !== channel || (await this.databaseAnswers())) return;
    }
  }

  /** Skips deliveries of a closed channel, which the broker has requeued. */
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

  /** Reopens a channel that closed alone; a lost connection reconnects and subscribes again itself. */
  private async recover(): Promise<void> {
    while (!this.stopping.signal.aborted && !this.channel && this.connection.current) {
      await pause(recoverMs, this.stopping.signal);
      try {
        // A queue without a leader does not answer, although the connection lives.
        const recovered = this.connection.restoreTopology().then(this.subscribe);
        if (!(await within(recoverWithinMs, recovered))) this.connection.leave();
      } catch (err) {
        this.log.warn({ err, queue: this.queue }, 'consuming a queue failed, will retry');
      }
    }
  }
}
