import { texts, uuids } from '../arrays.js';
import type { Transaction } from '../database.js';

/** Values that more records share than this point at nobody: a name half the company has, a switchboard's number. */
const mostSharing = 200;

/** Replaces the values by which these records are found when somebody similar is looked for. */
export async function saveWeakKeys(
  tx: Transaction,
  tenantId: string,
  records: readonly { id: string; isNew: boolean; values: readonly string[] }[],
): Promise<void> {
  const old = records.filter(({ isNew }) => !isNew).map(({ id }) => id);
  if (old.length > 0) await tx.query('delete from weak_keys where record_id = any($1)', [old]);
  const rows = records.flatMap(({ id, values }) => values.map((value) => ({ id, value })));
  if (rows.length === 0) return;
  await tx.query(
    `insert into weak_keys (tenant_id, value, record_id) select $1, * from unnest($2::text[], $3::uuid[])
     on conflict do nothing`,
    [tenantId, texts(rows.map(({ value }) => value)), uuids(rows.map(({ id }) => id))],
  );
}

/** Notes records to be compared once their job has ended, when all that it brought is there. */
export async function queueForMatching(tx: Transaction, tenantId: string, recordIds: readonly string[]): Promise<void> {
  if (recordIds.length === 0) return;
  await tx.query(
    'insert into match_queue (tenant_id, record_id) select $1, unnest($2::uuid[]) on conflict do nothing',
    [tenantId, recordIds],
  );
}

/** Notes every user and account of a tenant. */
export async function queueAllForMatching(tx: Transaction, tenantId: string): Promise<void> {
  await tx.query(
    `insert into match_queue (tenant_id, record_id)
     select tenant_id, id from source_records where tenant_id = $1 and kind in ('user', 'account') on conflict do nothing`,
    [tenantId],
  );
}

/**
 * True if records stand on a tenant's queue and no list is half read. A quarantined job has read its own to the end; a
 * dry run and a list of machines bring nobody.
 */
export async function isQueueReady(tx: Transaction, tenantId: string): Promise<boolean> {
  const rows = await tx.query(
    `select from match_queue where tenant_id = $1 and not exists (
       select from sync_jobs j join connectors c on c.id = j.connector_id
        where j.tenant_id = $1 and j.status = 'running' and not j.dry_run and c.records <> 'machine_identity')
      limit 1`,
    [tenantId],
  );
  return rows.length > 0;
}

/** Takes some records off the queue; what is taken twice at once is compared once. */
export async function takeQueued(tx: Transaction, tenantId: string, limit: number): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(
    `delete from match_queue where (tenant_id, record_id) in (
       select tenant_id, record_id from match_queue where tenant_id = $1 limit $2 for update skip locked)
     returning record_id as id`,
    [tenantId, limit],
  );
  return rows.map(({ id }) => id);
}

/** For each value that one of these records shares with another: all records that have it. Crowded values are left out. */
export async function findSharers(
  tx: Transaction,
  tenantId: string,
  recordIds: readonly string[],
): Promise<readonly string[][]> {
  if (recordIds.length === 0) return [];
  const rows = await tx.query<{ ids: string[] }>(
    `with wanted as (select distinct value from weak_keys where record_id = any($2))
     select sharing.ids
       from wanted
      cross join lateral (select array_agg(record_id) as ids
                            from (select record_id from weak_keys where tenant_id = $1 and value = wanted.value limit $3) few) sharing
      where cardinality(sharing.ids) between 2 and $3 - 1`,
    [tenantId, recordIds, mostSharing + 1],
  );
  return rows.map(({ ids }) => ids);
}
