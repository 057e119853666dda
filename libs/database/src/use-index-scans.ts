// SQL by hand: settings of the transaction.
import { onlyIndexScans, type Transaction } from './database.js';

/**
 * Disables other scans for the rest of the transaction, so that an index range is read in order and only up to the
 * limit. On tables without statistics, PostgreSQL would otherwise collect and sort the whole range; in the table of
 * one large tenant it would read all rows, because it expects the rows of a range to be scattered.
 */
export async function useIndexScans(tx: Transaction): Promise<void> {
  await tx.query(onlyIndexScans);
}

/** Like `useIndexScans`, for rows in the order of an index: others could be read whole and sorted. */
export async function useIndexOrder(tx: Transaction): Promise<void> {
  await tx.query(`${onlyIndexScans}; set local enable_sort = off`);
}
