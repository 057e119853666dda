import { volumeLimits } from '@idsync/contracts';
import type { Database, Transaction } from '@idsync/database';
import { LoadLimitExceeded, setLoadLimit } from '@idsync/database/directory';

/**
 * Applies all items at once. If that fails, undoes it and applies each half, until only single items fail, which are
 * left out: each costs a logarithmic number of attempts. `examine` throws an error that is no fault of an item.
 */
export async function applyInHalves<Item, Result>(
  tx: Transaction,
  items: readonly Item[],
  apply: (part: readonly Item[]) => Promise<Result>,
  examine: (error: unknown, part: readonly Item[]) => void,
): Promise<Result[]> {
  try {
    return [await tx.attempt(() => apply(items))];
  } catch (error) {
    examine(error, items);
  }
  if (items.length < 2) return [];
  const middle = Math.ceil(items.length / 2);
  const first = await applyInHalves(tx, items.slice(0, middle), apply, examine);
  return [...first, ...(await applyInHalves(tx, items.slice(middle), apply, examine))];
}

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
