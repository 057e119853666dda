import type { Transaction } from '../src/database.js';

/** Rows of a table that this connection has fetched and not reported yet: what a statement costs whatever the machine does. */
export async function rowsFetched(tx: Transaction, table: string): Promise<number> {
  const [seen] = await tx.query<{ fetched: number }>(
    'select idx_tup_fetch + seq_tup_read as fetched from pg_stat_xact_user_tables where relname = $1',
    [table],
  );
  return seen?.fetched ?? Number.NaN;
}
