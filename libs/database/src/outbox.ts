import { type MessageData, type MessageType, newUuid } from '@idsync/contracts';
import type { Transaction } from './database.js';

export interface OutgoingMessage<T extends MessageType = MessageType> {
  type: T;
  tenantId: string;
  data: MessageData<T>;
  /** Messages of one key keep their order on queues that are ordered. */
  orderingKey?: string;
}

/** Announces something in the transaction that makes it true; the relay of this service publishes it afterwards. */
export async function enqueue<T extends MessageType>(tx: Transaction, message: OutgoingMessage<T>): Promise<void> {
  const id = newUuid();
  const body = JSON.stringify({ id, tenant_id: message.tenantId, data: message.data });
  await tx.query(
    `with announced as (
       insert into outbox (producer, message_id, type, ordering_key, message) values (current_user, $1, $2, $3, $4))
     select pg_notify('idsync_outbox', current_user)`,
    [id, message.type, message.orderingKey ?? null, body],
  );
}

/** True the first time this consumer sees the message: its effects and this mark are one transaction. */
export async function markReceived(tx: Transaction, messageId: string): Promise<boolean> {
  const rows = await tx.query(
    `insert into inbox (consumer, message_id) values (current_user, $1)
     on conflict do nothing returning message_id`,
    [messageId],
  );
  return rows.length > 0;
}
