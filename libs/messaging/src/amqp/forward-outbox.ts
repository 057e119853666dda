// SQL by hand: claims and deletes rows in bulk.
import type { Database } from '@idsync/database';
import type { Logger } from '@idsync/runtime';
import { doublingBackoff } from '../driver.js';
import type { AmqpPublisher, OutgoingRow } from './amqp-publisher.js';

/** Maximum messages in flight. */
const window = 500;

/**
 * Publishes the oldest outbox rows of this service, and deletes the confirmed ones if it still holds the lease. After a
 * crash in between, rows are published again with the same message id, which the inbox deduplicates. A rejected row
 * (unroutable, or its queue is full) stays and is retried later without blocking the others.
 */
export class OutboxForwarder {
  private readonly refused = new Map<number, { attempts: number; again: number }>();

  constructor(
    private readonly database: Database,
    private readonly publisher: AmqpPublisher,
    private readonly log: Logger,
  ) {}

  /** Returns whether more rows may be waiting that RabbitMQ has not rejected. */
  async forward(token: number): Promise<boolean> {
    const waiting = [...this.refused].filter(([, { again }]) => again > performance.now()).map(([id]) => id);
    const rows = await this.oldestRows(waiting);
    if (rows.length === 0) return false;
    const { confirmed, refused } = await this.publisher.publish(rows);
    for (const id of confirmed) this.refused.delete(id);
    for (const id of refused) this.countRefusal(id);
    if (refused.length > 0) {
      const types = new Set(rows.filter((row) => refused.includes(row.id)).map((row) => row.type));
      this.log.error(
        { messages: refused.length, types: [...types] },
        'RabbitMQ rejected messages, will republish later',
      );
    }
    if (confirmed.length > 0) await this.deleteConfirmed(confirmed, token);
    return rows.length === window;
  }

  private oldestRows(waiting: readonly number[]): Promise<OutgoingRow[]> {
    return this.database.readAcrossTenants<OutgoingRow>({
      name: 'oldest-of-outbox',
      text: `select id, message_id as "messageId", type, message
               from outbox where producer = current_user and id <> all($2) order by id limit $1`,
      values: [window, waiting],
    });
  }

  private async deleteConfirmed(ids: readonly number[], token: number): Promise<void> {
    await this.database.writeWithoutTenant({
      name: 'delete-from-outbox',
      text: `delete from outbox where producer = current_user and id = any($1)
                and exists (select from relay_leases where producer = current_user and token = $2)`,
      values: [ids, token],
    });
  }

  private countRefusal(id: number): void {
    const attempts = (this.refused.get(id)?.attempts ?? 0) + 1;
    this.refused.set(id, { attempts, again: performance.now() + doublingBackoff(attempts) });
  }
}
