import { exchange } from '@idsync/contracts';
import { closeWithin, withTimeout } from '@idsync/runtime';
import type { ChannelModel, ConfirmChannel } from 'amqplib';
import type { AmqpConnection } from './amqp-connection.js';

export interface OutgoingRow {
  id: number;
  messageId: string;
  type: string;
  message: string;
}

export interface PublishResult {
  confirmed: number[];
  /** Rows that no queue is bound for, or that the broker rejected. */
  refused: number[];
}

/** Together less than a relay's lease of 8 s. If the lease ends meanwhile, the next relay publishes the same again. */
const openWithinMs = 2_000;
const confirmWithinMs = 5_000;

/**
 * Publishes with confirms, a window at a time: waiting for each confirm allows 1 400/s, a window of 500 allows 37
 * 000/s. After a failure the next window uses a new channel: RabbitMQ 3.10 rejects everything that a channel sends to a
 * queue whose leader was down when the channel first used it, even when the queue has a new leader.
 */
export class AmqpPublisher {
  private channel: ConfirmChannel | undefined;
  private returned = new Set<string>();

  constructor(private readonly connection: AmqpConnection) {}

  async publish(rows: readonly OutgoingRow[]): Promise<PublishResult> {
    const channel = await this.open();
    this.returned = new Set();
    const confirmed: number[] = [];
    const refused: number[] = [];
    let isRejected = false;
    const all = Promise.all(
      rows.map(async (row) => {
        const accepted = await send(channel, row);
        isRejected ||= !accepted;
        // The broker returns an unroutable message before it confirms it.
        if (accepted && !this.returned.has(row.messageId)) confirmed.push(row.id);
        else refused.push(row.id);
      }),
    );
    try {
      await bounded(channel, all);
    } catch (error) {
      this.abandon(channel);
      throw error;
    }
    if (isRejected) this.abandon(channel);
    return { confirmed, refused };
  }

  private abandon(channel: ConfirmChannel): void {
    if (this.channel === channel) this.channel = undefined;
    void closeWithin(channel.close());
  }

  private async open(): Promise<ConfirmChannel> {
    if (this.channel) return this.channel;
    const model: ChannelModel | undefined = this.connection.current;
    if (!model) throw new Error('not connected to RabbitMQ');
    const opening = model.createConfirmChannel();
    const channel = await withTimeout(openWithinMs, opening, undefined);
    if (!channel) {
      opening.then(
        (late) => closeWithin(late.close()),
        () => undefined,
      );
      throw new Error('RabbitMQ did not open a channel in time');
    }
    channel.on('error', () => undefined);
    channel.once('close', () => {
      if (this.channel === channel) this.channel = undefined;
    });
    channel.on('return', (message: { properties: { messageId?: string } }) => {
      if (message.properties.messageId) this.returned.add(message.properties.messageId);
    });
    this.channel = channel;
    return channel;
  }
}

function send(channel: ConfirmChannel, row: OutgoingRow): Promise<boolean> {
  return new Promise((resolve) => {
    channel.publish(
      exchange,
      row.type,
      Buffer.from(row.message),
      {
        persistent: true,
        mandatory: true,
        messageId: row.messageId,
        type: row.type,
        contentType: 'application/json',
      },
      (error: unknown) => resolve(error === null || error === undefined),
    );
  });
}

/** Rejects on a timeout or a closed channel, whose confirms never arrive. */
async function bounded(channel: ConfirmChannel, confirms: Promise<unknown>): Promise<void> {
  let fail: (error: Error) => void = () => undefined;
  const failure = new Promise<never>((_, reject) => {
    fail = reject;
  });
  const closed = () => fail(new Error('the channel closed before the broker confirmed'));
  const timer = setTimeout(() => fail(new Error('the broker did not confirm in time')), confirmWithinMs);
  channel.once('close', closed);
  try {
    await Promise.race([confirms, failure]);
  } finally {
    clearTimeout(timer);
    channel.off('close', closed);
  }
}
