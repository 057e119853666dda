import type { Transaction } from '../database.js';

export interface Page {
  limit: number;
  offset: number;
}

export interface Rows<Row> {
  rows: Row[];
  total: number;
}

/** The total beside a page; for lists of tens or hundreds. */
export async function count(tx: Transaction, sql: string, values: readonly unknown[]): Promise<number> {
  const [row] = await tx.query<{ count: number }>(sql, values);
  return row?.count ?? 0;
}
