// SQL by hand: reads and writes in bulk, benchmarked.
import { arraysOf, texts, uuids } from '../arrays.js';
import type { Transaction } from '../database.js';
import { useIndexScans } from '../transaction-settings.js';

/** Values shared by more records than this, such as a common name or a switchboard number, identify no person. */
const maxSharingRecords = 200;

interface WithValues {
  id: string;
  connectorId: string;
  values: readonly string[];
}

/** Replaces the values by which fuzzy matching finds these records. */
export async function saveWeakKeys(
  tx: Transaction,
  records: readonly (WithValues & { isNew: boolean })[],
): Promise<void> {
  const fresh = records.filter(({ isNew }) => isNew);
  const stored = records.filter(({ isNew }) => !isNew);
  const old = stored.map(({ id }) => id);
  if (old.length > 0)
    await tx.query('delete from weak_keys where tenant_id = $1 and record_id = any($2)', [tx.tenantId, old]);
  // A new record has no rows yet, and an insert that looks for conflicts takes half as long again.
  await insertValues(tx, fresh, '');
  await insertValues(tx, stored, 'on conflict do nothing');
}

async function insertValues(tx: Transaction, records: readonly WithValues[], onConflict: string): Promise<void> {
  const rows = records.flatMap(({ id, connectorId, values }) =>
    [...new Set(values)].map((value) => ({ id, connectorId, value })),
  );
  if (rows.length === 0) return;
  await tx.query(
    `with inserted as (
       insert into weak_keys (tenant_id, value, connector_id, record_id)
       select $1, unnest($2::text[]), unnest($3::uuid[]), unnest($4::uuid[]) ${onConflict} returning 1)
     select`,
    [tx.tenantId, ...arraysOf(rows, { value: texts, connectorId: uuids, id: uuids })],
  );
}

/** Queues records for matching, which runs when their job has ended and all its records are stored. */
export async function queueForMatching(tx: Transaction, recordIds: readonly string[]): Promise<void> {
  if (recordIds.length === 0) return;
  await tx.query(
    'insert into match_queue (tenant_id, record_id) select $1, unnest($2::uuid[]) on conflict do nothing',
    [tx.tenantId, recordIds],
  );
}

/**
 * Returns true if a tenant's queue has records and no job is reading a source. A quarantined job has finished reading;
 * dry runs and machine identities add nothing to the queue. While new rules are applied, only their operation compares
 * records, when it has applied them to all (`areRulesApplied`).
 */
export async function isQueueReady(tx: Transaction, areRulesApplied = false): Promise<boolean> {
  // An emptied queue may have many pages of dead rows.
  await useIndexScans(tx);
  return tx.any(
    `select from match_queue where tenant_id = $1 and not exists (
       select from (select connector_id from sync_jobs
                     where tenant_id = $1 and status = 'running' and not dry_run offset 0) j
         join connectors c on c.tenant_id = $1 and c.id = j.connector_id and c.records <> 'machine_identity')
        and ($2 or not exists (select from matching_rules where tenant_id = $1 and former is not null))
      limit 1`,
    [tx.tenantId, areRulesApplied],
  );
}

/** Removes up to `limit` records from the queue and returns them. Concurrent calls never return the same record. */
export async function takeQueued(tx: Transaction, limit: number): Promise<string[]> {
  await useIndexScans(tx);
  return tx.ids(
    `delete from match_queue where tenant_id = $1 and record_id = any(array(
       select record_id from match_queue where tenant_id = $1 order by record_id limit $2 for update skip locked))
     returning record_id as id`,
    [tx.tenantId, limit],
  );
}

export async function countQueued(tx: Transaction): Promise<number> {
  return tx.count('select count(*)::int as count from match_queue where tenant_id = $1', [tx.tenantId]);
}

/** Returns those of these records that share a value with a record of another source: two look-ups for each value. */
export async function findComparable(tx: Transaction, recordIds: readonly string[]): Promise<Set<string>> {
  if (recordIds.length === 0) return new Set();
  const found = await tx.ids(
    `select n.id from unnest($2::uuid[]) as n (id)
      cross join lateral (
        select from (select value from weak_keys where tenant_id = $1 and record_id = n.id offset 0) own
         cross join lateral (select connector_id from weak_keys where tenant_id = $1 and value = own.value
                              order by connector_id limit 1) first
         cross join lateral (select connector_id from weak_keys where tenant_id = $1 and value = own.value
                              order by connector_id desc limit 1) last
         where first.connector_id <> last.connector_id limit 1) as shared`,
    [tx.tenantId, uuids(recordIds)],
  );
  return new Set(found);
}

/** Deletes the values of those of these accounts that have an identity, and are therefore compared with none. */
export async function forgetLinkedAccounts(tx: Transaction, recordIds: readonly string[]): Promise<void> {
  if (recordIds.length === 0) return;
  await tx.query(
    `delete from weak_keys where tenant_id = $1 and record_id = any(array(
       select n.id from unnest($2::uuid[]) as n (id)
        cross join lateral (select kind, identity_id from source_records where tenant_id = $1 and id = n.id limit 1) r
        where r.kind = 'account' and r.identity_id is not null))`,
    [tx.tenantId, uuids(recordIds)],
  );
}

/**
 * Returns the records that share a value with one of these records, grouped by value. Values shared by too many records
 * are excluded. Sharing records are ordered, so that PostgreSQL does not search the table for the first ones.
 */
export async function findRecordsSharingValues(
  tx: Transaction,
  recordIds: readonly string[],
): Promise<readonly string[][]> {
  if (recordIds.length === 0) return [];
  const rows = await tx.query<{ ids: string[] }>(
    `with wanted as (
       select distinct value from unnest($2::uuid[]) as n (id)
        cross join lateral (select value from weak_keys
                             where tenant_id = $1 and record_id = n.id offset 0) as own)
     select sharing.ids
       from wanted
      cross join lateral (select array_agg(record_id) as ids
                            from (select record_id from weak_keys where tenant_id = $1 and value = wanted.value
                                   order by connector_id, record_id limit $3) few) sharing
      where cardinality(sharing.ids) between 2 and $3 - 1`,
    [tx.tenantId, uuids(recordIds), maxSharingRecords + 1],
  );
  return rows.map(({ ids }) => ids);
}
