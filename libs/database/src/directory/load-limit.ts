import type { Transaction } from '../database.js';

/** Thrown if a transaction would load more than its limit. Nothing was loaded, so the transaction can continue. */
export class LoadLimitExceeded extends Error {
  override readonly name = 'LoadLimitExceeded';
}

const limits = new WeakMap<Transaction, { max: number; left: number }>();

/** Limits the weight of records and documents that this transaction may still load; undefined removes the limit. */
export function setLoadLimit(tx: Transaction, weight: number | undefined): void {
  if (weight === undefined) limits.delete(tx);
  else limits.set(tx, { max: weight, left: weight });
}

/** Returns the weight that may still be loaded; undefined if there is no limit. */
export function remainingLoad(tx: Transaction): number | undefined {
  return limits.get(tx)?.left;
}

/** Subtracts from the limit before loading. Throws LoadLimitExceeded if the limit is exceeded. */
export function reserveLoad(tx: Transaction, weight: number): void {
  const limit = limits.get(tx);
  if (!limit) return;
  limit.left -= weight;
  if (limit.left >= 0) return;
  throw new LoadLimitExceeded(`it would load more than ${limit.max} bytes of stored records at once`);
}
