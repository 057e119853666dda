import type { Transaction } from '../src/database.js';

/**
 * Counts rows of a table that this connection has fetched and not reported yet: a measure of cost that does not depend
 * on the machine.
 */
export async function rowsFetched(tx: Transaction, table: string): Promise<number> {
  const [seen] = await tx.query<{ fetched: number }>(
    'select idx_tup_fetch + seq_tup_read as fetched from pg_stat_xact_user_tables where relname = $1',
    [table],
  );
  return seen?.fetched ?? Number.NaN;
}
