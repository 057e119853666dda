import type { MessageData, MessageType } from '@idsync/contracts';
import { type Database, searchAndWork, type Transaction } from '@idsync/database';
import { enqueue } from '@idsync/database/bus';

/**
 * Republishes the messages of items whose message may be lost, for example after a broker lost its data. Returns how
 * many.
 */
export async function republish<Type extends MessageType, Lost>(
  tx: Transaction,
  type: Type,
  taken: readonly Lost[],
  dataOf: (lost: Lost) => MessageData<Type>,
): Promise<number> {
  for (const lost of taken) await enqueue(tx, { type, tenantId: tx.tenantId, data: dataOf(lost) });
  return taken.length;
}

/**
 * Finds unanswered items across tenants, takes them in a transaction of their tenant, and republishes their messages.
 */
export async function republishLost<Type extends MessageType, Found extends { tenantId: string }, Lost>(
  database: Database,
  type: Type,
  lost: {
    find(tx: Transaction): Promise<Found[]>;
    take(tx: Transaction, found: Found[]): Promise<readonly Lost[]>;
    dataOf(lost: Lost): MessageData<Type>;
  },
): Promise<number> {
  return searchAndWork(database, lost.find, async (tx, found) =>
    republish(tx, type, await lost.take(tx, found), lost.dataOf),
  );
}
