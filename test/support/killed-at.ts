import type { Database, Transaction } from '@idsync/database';

/** Ends the work of a process, which is then delivered again. */
export class Killed extends Error {}

/**
 * Returns the database as a process sees it that is killed before its nth statement: the transaction is rolled back, and
 * transactions that it has committed stay.
 */
export function killedAt(database: Database, statement: number | undefined): Database {
  if (statement === undefined) return database;
  let left = statement;
  const count = () => {
    left -= 1;
    if (left < 0) throw new Killed();
  };
  const dying =
    <T>(work: (tx: Transaction) => Promise<T>) =>
    async (tx: Transaction) => {
      const query: Transaction['query'] = (sql, values) => {
        count();
        return tx.query(sql, values);
      };
      const result = await work({ ...tx, query });
      count();
      return result;
    };
  return new Proxy(database, {
    get(target, name) {
      if (name === 'transaction')
        return <T>(tenantId: string, work: (tx: Transaction) => Promise<T>) =>
          target.transaction(tenantId, dying(work));
      const value = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
