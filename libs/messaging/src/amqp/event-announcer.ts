import { type EventsRecorded, eventsRecorded, exchange } from '@idsync/contracts';
import type { Channel } from 'amqplib';
import type { AmqpConnection } from './amqp-connection.js';

/**
 * Publishes which tenants have new events, once for all commits of a turn of the event loop or while the connection's
 * buffer is full. Without confirms: what is lost, those who listen find by polling.
 */
export class EventAnnouncer {
  private readonly last = new Map<string, number>();
  private channel: Channel | undefined;
  private isPublishing = false;

  constructor(private readonly connection: AmqpConnection) {}

  /** `last`: the highest committed sequence of the tenant. */
  announce(tenantId: string, last: number): void {
    this.last.set(tenantId, Math.max(last, this.last.get(tenantId) ?? 0));
    if (!this.isPublishing) void this.publish();
  }

  private async publish(): Promise<void> {
    this.isPublishing = true;
    await new Promise(setImmediate);
    const channel = await this.open().catch(() => undefined);
    for (const [tenantId, last] of this.last) {
      this.last.delete(tenantId);
      if (channel && !send(channel, { tenant_id: tenantId, data: { last_sequence: last } })) await drained(channel);
    }
    this.isPublishing = false;
  }

  /** Returns undefined while there is no connection. */
  private async open(): Promise<Channel | undefined> {
    if (this.channel) return this.channel;
    const channel = await this.connection.current?.createChannel();
    channel
      ?.on('error', () => undefined)
      .once('close', () => {
        this.channel = undefined;
      });
    this.channel = channel;
    return channel;
  }
}

/** Returns false if the buffer is full, or the channel closed. */
function send(channel: Channel, message: EventsRecorded): boolean {
  try {
    const options = { persistent: false, type: eventsRecorded, contentType: 'application/json' };
    return channel.publish(exchange, eventsRecorded, Buffer.from(JSON.stringify(message)), options);
  } catch {
    return true;
  }
}

function drained(channel: Channel): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      channel.off('drain', done).off('close', done);
      resolve();
    };
    channel.once('drain', done).once('close', done);
  });
}
