import type { Transaction } from '../database.js';

/**
 * From here to the end of the transaction, ranges of an index are read in its order and left where the limit is reached. Where
 * tables were not analysed, PostgreSQL takes every range for a few rows and would gather and sort all of it first.
 */
export async function readInOrder(tx: Transaction): Promise<void> {
  await tx.query('set local enable_bitmapscan = off');
}
