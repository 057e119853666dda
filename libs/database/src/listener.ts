// SQL by hand: listen and unlisten.
import { beginTimeoutMs } from './run-transaction.js';
import type { Connection } from './service-connections.js';

interface Subscription {
  channel: string;
  onNotify: (payload: string) => void;
  onListening: () => void;
}

/** Milliseconds before it connects again. */
const pauseMs = 1_000;

/** Listens to all channels of a service on one connection, and connects again when that is lost. */
export class Listener {
  private readonly subscriptions = new Set<Subscription>();
  private connection: Connection | undefined;
  private connecting: Promise<void> | undefined;
  private retry: NodeJS.Timeout | undefined;

  constructor(private readonly take: () => Promise<Connection>) {}

  /**
   * Returns a function that stops listening. `onListening` is called whenever listening has begun, because earlier
   * notifications are lost.
   */
  listen(channel: string, onNotify: (payload: string) => void, onListening: () => void): () => Promise<void> {
    const subscription = { channel, onNotify, onListening };
    this.subscriptions.add(subscription);
    if (this.connection) this.begin(this.connection, [subscription]).catch(this.lost);
    else this.connect();
    return () => this.end(subscription);
  }

  private connect(): void {
    clearTimeout(this.retry);
    if (this.subscriptions.size === 0 || this.connection) return;
    this.connecting ??= this.open()
      .catch(this.lost)
      .finally(() => {
        this.connecting = undefined;
      });
  }

  private async open(): Promise<void> {
    const connection = await this.take();
    this.connection = connection;
    connection.client.on('notification', this.notify);
    connection.client.on('error', this.lost);
    connection.client.on('end', this.lost);
    await this.begin(connection, [...this.subscriptions]);
  }

  private async begin({ client }: Connection, subscriptions: readonly Subscription[]): Promise<void> {
    for (const { channel } of subscriptions) await client.query(bounded(`listen ${channel}`));
    for (const subscription of subscriptions) if (this.subscriptions.has(subscription)) subscription.onListening();
  }

  private async end(subscription: Subscription): Promise<void> {
    this.subscriptions.delete(subscription);
    if (this.subscriptions.size > 0) return;
    clearTimeout(this.retry);
    await this.connecting;
    const { connection } = this;
    if (!connection || this.subscriptions.size > 0) return;
    this.forget(connection);
    const isClean = await connection.client.query(bounded('unlisten *')).then(
      () => true,
      () => false,
    );
    connection.release(!isClean);
  }

  private readonly notify = ({ channel, payload = '' }: { channel: string; payload?: string }): void => {
    for (const each of this.subscriptions) if (each.channel === channel) each.onNotify(payload);
  };

  private readonly lost = (): void => {
    const { connection } = this;
    if (connection) {
      this.forget(connection);
      // A dead connection that is not released would count against the pool permanently.
      connection.release(true);
    }
    clearTimeout(this.retry);
    if (this.subscriptions.size > 0) this.retry = setTimeout(() => this.connect(), pauseMs).unref();
  };

  private forget({ client }: Connection): void {
    client.off('notification', this.notify);
    client.off('error', this.lost);
    client.off('end', this.lost);
    this.connection = undefined;
  }
}

/** A shutdown must not wait for a connection that is lost without notice. */
function bounded(text: string): { text: string; query_timeout: number } {
  return { text, query_timeout: beginTimeoutMs };
}
