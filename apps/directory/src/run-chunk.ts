import { volumeLimits } from '@idsync/contracts';
import type { Database, Transaction } from '@idsync/database';
import { LoadLimitExceeded, setLoadLimit } from '@idsync/database/directory';

/**
 * Runs one chunk of a larger task in a transaction. Halves the chunk while its records exceed the load limit, down to
 * one record with a higher limit.
 */
export async function runChunk<Result>(
  database: Database,
  tenantId: string,
  chunkSize: number,
  work: (tx: Transaction, chunkSize: number) => Promise<Result>,
): Promise<Result> {
  for (let size = chunkSize; ; size = Math.ceil(size / 2)) {
    try {
      return await database.transaction(tenantId, (tx) => {
        setLoadLimit(tx, size === 1 ? volumeLimits.loadWeightOfOne : volumeLimits.loadWeight);
        return work(tx, size);
      });
    } catch (error) {
      if (!(error instanceof LoadLimitExceeded) || size === 1) throw error;
    }
  }
}
