// SQL by hand: a transaction of one statement in one packet.
import type pg from 'pg';

/** A frequent query that returns rows: `name` makes it a prepared statement of each connection. */
export interface NamedQuery {
  name: string;
  text: string;
  values: readonly unknown[];
  /** Never runs on the read replica, because it costs as little as asking for the position of the primary. */
  isOnPrimary?: boolean;
  /** Its rows have the order of an index. Without statistics, PostgreSQL might read all rows by another index and sort them. */
  isInIndexOrder?: boolean;
  /** Timeout in the driver, by default that of the connection. */
  timeoutMs?: number;
}

/** A row as the texts that PostgreSQL sends, which are not parsed. */
export type TextRow = (string | null)[];

/** The form of results of `TextRow`s. */
export const asTexts = { rowMode: 'array', types: { getTypeParser: () => (text: string) => text } };

/**
 * Sends `begin`, the statement and `commit` together. Callbacks cost less than three promises. After an error
 * the connection must be closed.
 */
export function runOnce<Row>(
  client: pg.Client,
  begin: readonly string[],
  { name, text, values, timeoutMs }: NamedQuery,
  form?: typeof asTexts,
): Promise<Row[]> {
  const statement = { name, text, values: [...values], query_timeout: timeoutMs, ...form };
  return new Promise((resolve, reject) => {
    let rows: Row[] = [];
    const onError = (error: Error | null) => error && reject(error);
    for (const text of begin) void client.query(text, onError);
    void client.query(statement, (error, result) => {
      onError(error);
      if (result) ({ rows } = result);
    });
    void client.query('commit', (error) => (error ? reject(error) : resolve(rows)));
  });
}
