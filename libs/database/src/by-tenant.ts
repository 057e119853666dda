// SQL by hand: bulk deletions that skip locked rows.
import { uuids } from './arrays.js';
import type { Database, Transaction } from './database.js';
import { isUnavailable, sqlState } from './sql-state.js';
import { useIndexScans } from './transaction-settings.js';

interface OfTenant {
  tenantId: string;
}

/**
 * Processes items grouped by tenant, `atOnce` tenants at a time. If the work of a tenant fails, the others are still
 * processed and the first error is thrown at the end; an unavailable database stops it at once.
 */
export async function eachTenant<Item extends OfTenant>(
  items: readonly Item[],
  work: (tenantId: string, items: Item[]) => Promise<void>,
  atOnce = 1,
): Promise<void> {
  const tenants = new Map<string, Item[]>();
  for (const item of items) {
    const own = tenants.get(item.tenantId);
    if (own) own.push(item);
    else tenants.set(item.tenantId, [item]);
  }
  const rest = tenants.entries();
  const failures: unknown[] = [];
  let isAway = false;
  const takeTurns = async () => {
    for (const [tenantId, own] of rest) {
      if (isAway) return;
      await work(tenantId, own).catch((error: unknown) => {
        failures.push(error);
        isAway ||= sqlState(error) === undefined && isUnavailable(error);
      });
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, tenants.size) }, takeTurns));
  if (failures.length > 0) throw failures[0];
}

/**
 * Searches across tenants, then processes the results in a transaction of each tenant. `work` must check its rows
 * again, since another process may have handled them. Returns the number of rows processed.
 */
export async function searchAndWork<Found extends OfTenant>(
  database: Database,
  search: (tx: Transaction) => Promise<Found[]>,
  work: (tx: Transaction, found: Found[]) => Promise<number>,
): Promise<number> {
  let done = 0;
  const found = await database.acrossTenants(search);
  await eachTenant(found, async (tenantId, own) => {
    done += await database.transaction(tenantId, (tx) => work(tx, own));
  });
  return done;
}

/**
 * Deletes rows of `table` that `selection` finds across tenants, by an index and their column `key`. Skips locked rows.
 * Returns the number of deleted rows.
 */
export async function deleteFound(
  database: Database,
  table: string,
  selection: string,
  values: readonly unknown[],
  key = 'id',
): Promise<number> {
  return searchAndWork(
    database,
    async (tx) => {
      await useIndexScans(tx);
      return tx.query<{ id: string; tenantId: string }>(
        `select ${key} as id, tenant_id as "tenantId" from ${table} ${selection}`,
        values,
      );
    },
    async (tx, found) => {
      const deleted = await tx.query(
        `delete from ${table} where tenant_id = $1 and ${key} in (
           select ${key} from ${table} where tenant_id = $1 and ${key} = any($2) for update skip locked) returning ${key}`,
        [tx.tenantId, uuids(found.map(({ id }) => id))],
      );
      return deleted.length;
    },
  );
}

/**
 * Returns how to find the rows of `table` in the state `waiting` that were requested at `since`, `olderThanMs` ago, of all
 * tenants, and how to take those of a tenant that still wait, as requested again. Skips rows in progress.
 */
export function unanswered(table: string, since: string, waiting: string) {
  const isLost = (age: string) => `${since} < now() - ${age} * interval '1 millisecond' and ${waiting}`;
  return (olderThanMs: number, limit: number) => ({
    find: (tx: Transaction) =>
      tx.query<{ id: string; tenantId: string }>(
        `select id, tenant_id as "tenantId" from ${table} where ${isLost('$1')} order by ${since} limit $2`,
        [olderThanMs, limit],
      ),
    take: (tx: Transaction, found: readonly { id: string; tenantId: string }[]) =>
      tx.query<{ id: string }>(
        `update ${table} set ${since} = now() where tenant_id = $1 and id in (
           select id from ${table} where tenant_id = $1 and id = any($2) and ${isLost('$3')} for update skip locked)
         returning id`,
        [tx.tenantId, uuids(found.map(({ id }) => id)), olderThanMs],
      ),
  });
}
