import type { Transaction } from '@idsync/database';

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
