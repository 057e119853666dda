import type { Database } from '@idsync/database';
import { takeUnansweredOperations } from '@idsync/database/directory';
import { republish } from '@idsync/messaging';

/** Age of a queued operation after which its message counts as lost. */
export const unansweredMs = 15 * 60_000;
const atATime = 100;

/**
 * Republishes lost messages of queued operations and returns their number. A message of a completed operation has no
 * effect.
 */
export async function republishOperations(database: Database, tenantId: string): Promise<number> {
  return database.transaction(tenantId, async (tx) => {
    const operations = await takeUnansweredOperations(tx, tenantId, unansweredMs, atATime);
    return republish(tx, { type: 'directory.operation.requested', tenantId }, operations, ({ id }) => ({
      operation_id: id,
    }));
  });
}
