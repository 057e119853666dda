// SQL by hand: settings of the transaction.
import { onlyIndexScans, setTenant, type Transaction } from './database.js';

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

/**
 * Makes PostgreSQL plan the rest of the transaction for its values, for statements that read a whole table with one plan for
 * all values (see `OftenUsed`): deleting merged identities reads 16 000 rows of a tenant with 15 000 people.
 */
export async function planForValues(tx: Transaction): Promise<void> {
  await tx.query('set local plan_cache_mode = force_custom_plan');
}

/**
 * Runs `work` on the rows of another tenant in the same transaction. A second transaction would need another connection,
 * and as many requests as there are connections would then wait for each other. No other statement may be sent
 * meanwhile. If `work` fails, the transaction, or a savepoint around it, must end.
 */
export async function asTenant<T>(
  tx: Transaction,
  tenantId: string,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  await tx.query(setTenant(tenantId));
  const result = await work({ ...tx, tenantId });
  await tx.query(setTenant(tx.tenantId));
  return result;
}
