// SQL by hand: deletions in parts, of tables that `ownership.ts` names.
import type { Transaction } from '../database.js';
import { ownership } from '../schema/ownership.js';

/** Rows that one step deletes. */
const rowsAtOnce = 5_000;

/**
 * No change of the directory commits without the sequence of its tenant, so it is deleted first. It waits for changes
 * in progress.
 */
const first = ['event_sequences'];
/** Deleted after the tables that refer to them, so that no row deletes many others. */
const parents = ['sync_plans', 'sync_jobs', 'webhooks'];
const atEnd = ['tenants', 'tenant_deletions'];

/** Tables with rows of tenants, in the order in which they are emptied. */
export const tablesOfTenants: readonly string[] = [
  ...first,
  ...Object.entries(ownership)
    .filter(([, { rows }]) => typeof rows === 'object' && 'tenantColumn' in rows)
    .map(([table]) => table)
    .filter((table) => ![...first, ...parents, ...atEnd].includes(table)),
  ...parents,
];

/** `more`: call again; `waiting`: nothing is left, but rows may still be added; `done`: the tenant does not exist. */
export type DeletionState = 'more' | 'waiting' | 'done';

export interface DeletionStep {
  state: DeletionState;
  /** Rows that all steps have deleted. */
  deleted: number;
}

/** Lists the tenants that are being deleted. */
export async function findTenantDeletions(tx: Transaction): Promise<string[]> {
  return tx.ids('select tenant_id as id from tenant_deletions order by requested_at');
}

/**
 * Deletes the next rows of a tenant whose deletion was requested. The tenant itself is deleted when a walk over all
 * tables has found no row, and the request is older than `settleMs`: until then a transaction that began before it may
 * add rows. Returns undefined if another process has the lock, or the tenant is deleted.
 */
export async function deleteTenantPart(tx: Transaction, settleMs: number): Promise<DeletionStep | undefined> {
  const { tenantId } = tx;
  const [progress] = await tx.query<Progress>(
    `select table_name as "table", found, deleted,
            requested_at + $2 * interval '1 millisecond' <= clock_timestamp() as settled
       from tenant_deletions where tenant_id = $1 for update skip locked`,
    [tenantId, settleMs],
  );
  if (!progress) return undefined;
  const at = Math.max(tablesOfTenants.indexOf(progress.table ?? ''), 0);
  const gone = await deleteRows(tx, tablesOfTenants[at] as string);
  const [found, deleted] = [progress.found + gone, progress.deleted + gone];
  const table = tablesOfTenants[gone < rowsAtOnce ? at + 1 : at];
  if (table === undefined && found === 0 && progress.settled) {
    await tx.query('delete from tenant_deletions where tenant_id = $1', [tenantId]);
    await tx.query('delete from tenants where id = $1', [tenantId]);
    return { state: 'done', deleted };
  }
  await tx.query(
    `update tenant_deletions set table_name = $2::text, deleted = $4,
            found = case when $2::text is null then 0 else $3::bigint end
      where tenant_id = $1`,
    [tenantId, table ?? null, found, deleted],
  );
  return { state: table === undefined && found === 0 ? 'waiting' : 'more', deleted };
}

interface Progress {
  table: string | null;
  found: number;
  deleted: number;
  settled: boolean;
}

function deleteRows(tx: Transaction, table: string): Promise<number> {
  return tx.count(
    `with found as (select ctid from ${table} where tenant_id = $1 limit ${rowsAtOnce}),
          deleted as (delete from ${table} where tenant_id = $1 and ctid = any(array(select ctid from found)) returning 1)
     select count(*)::integer as count from deleted`,
    [tx.tenantId],
  );
}
