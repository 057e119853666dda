// SQL by hand: a setting of the transaction.
import { type Transaction, withoutBitmapScan } from '../database.js';

/**
 * Disables bitmap scans for the rest of the transaction, so that an index range is read in order and only up to the
 * limit. On tables without statistics, PostgreSQL would otherwise collect and sort the whole range.
 */
export async function disableBitmapScan(tx: Transaction): Promise<void> {
  await tx.query(withoutBitmapScan);
}
