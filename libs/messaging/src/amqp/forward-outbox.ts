import type { Database } from '@idsync/database';
import { doublingBackoff } from '../backoff.js';
import type { BusLogger } from '../driver.js';
import type { AmqpPublisher, OutgoingRow } from './amqp-publisher.js';

/** Messages under way at once. */
const window = 500;

/**
 * Publishes the oldest rows of this service's outbox, and deletes those the broker has confirmed if the lease is still
 * ours. Killed in between, the rows are published again: the message keeps its id, and inboxes know it. A row the broker
 * refuses (no queue is bound for it, a queue is full) stays, and is tried again later without holding up the others.
 */
export class OutboxForwarder {
  private readonly refused = new Map<number, { attempts: number; again: number }>();

  constructor(
    private readonly database: Database,
    private readonly publisher: AmqpPublisher,
    private readonly log: BusLogger,
  ) {}

  /** The number of rows that left the outbox. */
  async forward(token: number): Promise<number> {
    const waiting = [...this.refused].filter(([, { again }]) => again > Date.now()).map(([id]) => id);
    const rows = await this.oldestRows(waiting);
    if (rows.length === 0) return 0;
    const { confirmed, refused } = await this.publisher.publish(rows);
    for (const id of confirmed) this.refused.delete(id);
    for (const id of refused) this.noteRefused(id);
    if (refused.length > 0) {
      const types = new Set(rows.filter((row) => refused.includes(row.id)).map((row) => row.type));
      this.log.error(
        `RabbitMQ refused ${refused.length} messages (${[...types].join(', ')}); they are kept and tried again`,
      );
    }
    if (confirmed.length > 0) await this.forget(confirmed, token);
    return confirmed.length;
  }

  private oldestRows(waiting: readonly number[]): Promise<OutgoingRow[]> {
    return this.database.transaction(undefined, (tx) =>
      tx.query<OutgoingRow>(
        `select id, message_id as "messageId", type, ordering_key as "orderingKey", message
           from outbox where producer = current_user and id <> all($2) order by id limit $1`,
        [window, waiting],
      ),
    );
  }

  private async forget(ids: readonly number[], token: number): Promise<void> {
    await this.database.transaction(undefined, (tx) =>
      tx.query(
        `delete from outbox where producer = current_user and id = any($1)
            and exists (select from relay_leases where producer = current_user and token = $2)`,
        [ids, token],
      ),
    );
  }

  private noteRefused(id: number): void {
    const attempts = (this.refused.get(id)?.attempts ?? 0) + 1;
    this.refused.set(id, { attempts, again: Date.now() + doublingBackoff(attempts) });
  }
}
