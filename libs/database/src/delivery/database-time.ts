// SQL by hand: the database clock has no table.
import type { Transaction } from '../database.js';

/** Returns the time of PostgreSQL's clock. */
export async function databaseTime(tx: Transaction): Promise<Date> {
  const [row] = await tx.query<{ now: Date }>('select clock_timestamp() as now');
  if (!row) throw new Error('PostgreSQL did not return its time');
  return row.now;
}
