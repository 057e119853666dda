import { randomUUID } from 'node:crypto';
import { eventsRecorded, eventsRecordedMessage, exchange } from '@idsync/contracts';
import type { AnnounceEvents } from '@idsync/database';
import { closeWithin, type Logger, pause } from '@idsync/runtime';
import type { Channel, ConsumeMessage } from 'amqplib';
import type { AmqpConnection } from './amqp-connection.js';

/** Pause before a queue is opened again that the broker closed. */
const reopenMs = 1_000;
/** More are as good as lost: the poll finds their tenants. */
const maxLength = 10_000;

interface Listeners {
  onEvents: AnnounceEvents;
  onListening: () => void;
}

/** Receives announcements of events in a queue of this process, which ends with its connection. */
export class EventListener {
  private readonly stopping = new AbortController();
  private channel: Channel | undefined;

  constructor(
    private readonly connection: AmqpConnection,
    private readonly queuePrefix: string,
    private readonly listeners: Listeners,
    private readonly log: Logger,
  ) {}

  start(): void {
    void this.connection.whenUp(this.open);
  }

  async stop(): Promise<void> {
    this.connection.removeListener(this.open);
    this.stopping.abort();
    if (this.channel) await closeWithin(this.channel.close());
  }

  /** Does not throw, because the services work without announcements. */
  private readonly open = async (): Promise<void> => {
    const model = this.connection.current;
    if (!model || this.stopping.signal.aborted) return;
    try {
      const channel = await model.createChannel();
      channel.on('error', (err: unknown) =>
        this.log.warn({ err }, 'RabbitMQ closed the channel of event announcements'),
      );
      channel.once('close', () => void this.reopen(channel));
      this.channel = channel;
      const { queue } = await channel.assertQueue(`${this.queuePrefix}.${randomUUID()}`, {
        exclusive: true,
        durable: false,
        maxLength,
      });
      await channel.bindQueue(queue, exchange, eventsRecorded);
      await channel.consume(queue, (message) => this.received(channel, message), { noAck: true });
      this.listeners.onListening();
    } catch (err) {
      this.log.warn({ err }, 'listening to event announcements failed, will retry');
    }
  };

  private received(channel: Channel, message: ConsumeMessage | null): void {
    if (message === null) {
      void channel.close().catch(() => undefined);
      return;
    }
    const { data: announced } = eventsRecordedMessage.safeParse(parsed(message.content));
    if (announced) this.listeners.onEvents(announced.tenant_id, announced.data.last_sequence);
  }

  /** Reopens a channel that closed alone; after a lost connection, the new one opens its own. */
  private async reopen(channel: Channel): Promise<void> {
    const model = this.connection.current;
    await pause(reopenMs, this.stopping.signal);
    if (this.channel === channel && this.connection.current === model) await this.open();
  }
}

/** Others may publish to the exchange. */
function parsed(content: Buffer): unknown {
  try {
    return JSON.parse(content.toString());
  } catch {
    return undefined;
  }
}
