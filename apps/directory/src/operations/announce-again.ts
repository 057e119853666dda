import { type Database, enqueue, takeUnansweredOperations } from '@idsync/database';

/** An operation that was not taken up for so long is announced again: its message may be lost. */
const unansweredMs = 15 * 60_000;
const atATime = 100;

/**
 * Announces operations again whose message may be lost, as when a broker lost its data; returns how many. What was done is
 * passed over by whoever hears of it twice.
 */
export async function announceAgain(database: Database, tenantId: string): Promise<number> {
  return database.transaction(tenantId, async (tx) => {
    const operations = await takeUnansweredOperations(tx, tenantId, unansweredMs, atATime);
    for (const { id } of operations) {
      await enqueue(tx, { type: 'directory.operation.requested', tenantId, data: { operation_id: id } });
    }
    return operations.length;
  });
}
