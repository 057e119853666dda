// SQL by hand: deletions by index or by block, of tables that the catalog describes.
import type { Transaction } from '../database.js';
import { ownership } from '../schema/ownership.js';

/** Rows that one step deletes by an index. */
const rowsAtOnce = 5_000;
/** Blocks that one step reads of a table without an index of its tenants: 16 MB. */
const blocksAtOnce = 2_000;

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
export async function deleteTenantPart(
  tx: Transaction,
  tenantId: string,
  settleMs: number,
): Promise<DeletionStep | undefined> {
  const [progress] = await tx.query<Progress>(
    `select table_name as "table", block, found, deleted,
            requested_at + $2 * interval '1 millisecond' <= clock_timestamp() as settled
       from tenant_deletions where tenant_id = $1 for update skip locked`,
    [tenantId, settleMs],
  );
  if (!progress) return undefined;
  const at = Math.max(tablesOfTenants.indexOf(progress.table ?? ''), 0);
  const part = await deleteRows(tx, tenantId, tablesOfTenants[at] as string, progress.block);
  const [found, deleted] = [progress.found + part.deleted, progress.deleted + part.deleted];
  const ended = part.next === undefined;
  const table = ended ? tablesOfTenants[at + 1] : tablesOfTenants[at];
  if (table === undefined && found === 0 && progress.settled) {
    await tx.query('delete from tenant_deletions where tenant_id = $1', [tenantId]);
    await tx.query('delete from tenants where id = $1', [tenantId]);
    return { state: 'done', deleted };
  }
  await tx.query(
    `update tenant_deletions set table_name = $2::text, block = $3, deleted = $5,
            found = case when $2::text is null then 0 else $4::bigint end
      where tenant_id = $1`,
    [tenantId, table ?? null, part.next ?? 0, found, deleted],
  );
  return { state: table === undefined && found === 0 ? 'waiting' : 'more', deleted };
}

interface Progress {
  table: string | null;
  block: number;
  found: number;
  deleted: number;
  settled: boolean;
}

interface Part {
  deleted: number;
  /** Block of the next part; undefined if the end of the table was reached. */
  next?: number;
}

/** Uses an index that begins with the tenant, or reads the blocks of the table once. */
async function deleteRows(tx: Transaction, tenantId: string, table: string, block: number): Promise<Part> {
  const [{ indexed, blocks } = { indexed: false, blocks: 0 }] = await tx.query<{ indexed: boolean; blocks: number }>(
    `select exists (
              select from pg_index i join pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[0]
               where i.indrelid = $1::regclass and i.indisvalid and i.indpred is null and a.attname = 'tenant_id') as indexed,
            (pg_relation_size($1::regclass) / current_setting('block_size')::bigint)::integer as blocks`,
    [table],
  );
  if (indexed) {
    const deleted = await count(
      tx,
      `delete from ${table} where ctid = any(array(select ctid from ${table} where tenant_id = $1 limit ${rowsAtOnce}))
       returning 1`,
      [tenantId],
    );
    return deleted < rowsAtOnce ? { deleted } : { deleted, next: 0 };
  }
  const end = block + blocksAtOnce;
  const deleted = await count(
    tx,
    `delete from ${table} where tenant_id = $1 and ctid >= $2::tid and ctid < $3::tid returning 1`,
    [tenantId, `(${block},0)`, `(${end},0)`],
  );
  return end < blocks ? { deleted, next: end } : { deleted };
}

async function count(tx: Transaction, deletion: string, values: readonly unknown[]): Promise<number> {
  return tx.count(`with deleted as (${deletion}) select count(*)::integer as count from deleted`, values);
}
