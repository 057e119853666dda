// SQL by hand: arrays that are appended to, and comparisons in bulk.
import { arraysOf, integers, uuids } from '../arrays.js';
import type { Transaction } from '../database.js';
import { useIndexScans } from '../transaction-settings.js';

/** Records that a batch is applied. Returns false if it was recorded before. */
export async function recordAppliedBatch(
  tx: Transaction,
  batch: { jobId: string; seq: number; connectorId: string },
): Promise<boolean> {
  return tx.any(
    `insert into seen_records (job_id, seq, tenant_id, connector_id, record_ids) values ($1, $2, $3, $4, '{}')
     on conflict do nothing returning seq`,
    [batch.jobId, batch.seq, tx.tenantId, batch.connectorId],
  );
}

/** Ids of existing records as PostgreSQL array text, and ids of created records. */
interface NamedRecords {
  knownIds: string;
  createdIds: readonly string[];
}

/**
 * Saves which records a batch contained, part by part. One row per batch, so that unchanged records are not written. A
 * partial batch proves nothing about other records, so it does not count as a listing for deletion detection.
 */
export async function saveSeenRecords(
  tx: Transaction,
  { jobId, seq, isPartial }: { jobId: string; seq: number; isPartial: boolean },
  parts: readonly NamedRecords[],
): Promise<void> {
  const column = isPartial ? 'named_ids' : 'record_ids';
  for (const { knownIds, createdIds } of parts) {
    await tx.query(
      `update seen_records set ${column} = ${column} || $4::uuid[] || $5::uuid[]
        where tenant_id = $1 and job_id = $2 and seq = $3`,
      [tx.tenantId, jobId, seq, knownIds, uuids(createdIds)],
    );
  }
}

/** Finds records that a later batch of the job contained, changed or not, among those with these ids. */
export async function findListedLater(
  tx: Transaction,
  { jobId, seq }: { jobId: string; seq: number },
  ids: readonly string[],
): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const found = await tx.ids(
    `with later as materialized (
       select record_ids || named_ids as ids from seen_records where tenant_id = $1 and job_id = $2 and seq > $3)
     select id from unnest($4::uuid[]) as n (id) where id in (select unnest(ids) from later)`,
    [tx.tenantId, jobId, seq, uuids(ids)],
  );
  return new Set(found);
}

/** Saves which records do not have the row that this batch of a full run listed, because another one counts. */
export async function saveOutranked(
  tx: Transaction,
  jobId: string,
  rows: readonly { seq: number; id: string }[],
): Promise<void> {
  if (rows.length === 0) return;
  await tx.query(
    `update seen_records s set named_ids = named_ids || o.ids
       from (select seq, array_agg(id) as ids from unnest($3::integer[], $4::uuid[]) as n (seq, id) group by seq) o
      where s.tenant_id = $1 and s.job_id = $2 and s.seq = o.seq and s.record_ids && o.ids`,
    [tx.tenantId, jobId, ...arraysOf(rows, { seq: integers, id: uuids })],
  );
}

/**
 * Finds up to `limit` records, by external id, that a job changed after it had compared their last entry: a batch with
 * an earlier entry was applied at the same time. In a full run, `named_ids` has the entries that do not count. `offset 0`:
 * the arrays of a batch are compared once, and not for each of its ids.
 */
export async function findStaleRecords(tx: Transaction, jobId: string, limit: number): Promise<string[]> {
  return tx.ids(
    `with repeated as materialized (
       select id, max(seq) as seq
         from (select seq, case when record_ids = '{}' then named_ids else record_ids end as listed,
                      case when record_ids = '{}' then '{}' else named_ids end as outranked
                 from seen_records where tenant_id = $1 and job_id = $2 offset 0) as batch, unnest(listed) as id
        where not id = any(outranked)
        group by id having count(*) > 1)
     select r.external_id as id from repeated
      cross join lateral (select external_id, last_job_id, last_seq from source_records
                           where tenant_id = $1 and id = repeated.id limit 1) r
      where r.last_job_id = $2 and r.last_seq < repeated.seq limit $3`,
    [tx.tenantId, jobId, limit],
  );
}

export interface RunCoverage {
  /** Number of batches with saved record ids. */
  batches: number;
  /** Number of left-out records with a stored error. */
  errorsKept: number;
  /** Number of these errors without an external id. */
  errorsUnnamed: number;
}

/** Returns what the directory itself stored about how completely a job has read its source. */
export async function findRunCoverage(tx: Transaction, jobId: string): Promise<RunCoverage> {
  const [coverage] = await tx.query<RunCoverage>(
    `select (select count(*) from seen_records where tenant_id = $1 and job_id = $2)::int as batches,
            count(*)::int as "errorsKept",
            (count(*) filter (where external_id is null or hides_others))::int as "errorsUnnamed"
       from sync_record_errors where tenant_id = $1 and job_id = $2 and field is null`,
    [tx.tenantId, jobId],
  );
  if (!coverage) throw new Error('the count query returned no row');
  return coverage;
}

export interface RepeatedRecords {
  /** Number of repeated occurrences. */
  count: number;
  /** External ids of these records, up to `limit`. */
  externalIds: string[];
}

/**
 * Finds records that several batches of a job contained. It reads all saved ids: half a second for a million, once per
 * job.
 */
export async function findRepeatedRecords(tx: Transaction, jobId: string, limit: number): Promise<RepeatedRecords> {
  const [repeated] = await tx.query<RepeatedRecords>(
    `with repeated as materialized (
       select id, count(*) - 1 as again from seen_records, unnest(record_ids) as id
        where tenant_id = $1 and job_id = $2 group by id having count(*) > 1)
     select (select coalesce(sum(again), 0)::int from repeated) as count,
            array(select r.external_id from (select id from repeated limit $3) few
                    cross join lateral (select external_id from source_records
                                         where tenant_id = $1 and id = few.id limit 1) r
                   order by 1) as "externalIds"`,
    [tx.tenantId, jobId, limit],
  );
  if (!repeated) throw new Error('the count query returned no row');
  return repeated;
}

/** Number of plans that are examined when a job ends. Each job makes one plan, so a backlog is worked off. */
const plansPerPurge = 100;

/**
 * Deletes data of the connector's ended jobs: their seen records (unless a record job overlaps a running job), the
 * source data in plans of its latest cancelled or failed jobs, and its oldest plans whose jobs are deleted.
 */
export async function purgeEndedRuns(tx: Transaction, connectorId: string): Promise<void> {
  await useIndexScans(tx);
  await tx.query(
    `with busy as materialized (
       select id, started_at from sync_jobs
        where tenant_id = $1 and connector_id = $2 and status in ('running', 'quarantined'))
     delete from seen_records s where tenant_id = $1 and connector_id = $2 and not exists (
       select from (select * from sync_jobs where tenant_id = $1 and id = s.job_id offset 0) j
        where j.status in ('queued', 'running', 'quarantined')
           or j.mode = 'record' and exists (select from busy where id <> j.id and started_at < j.last_record_at))`,
    [tx.tenantId, connectorId],
  );
  await tx.query(
    `update sync_plan_entries e set incoming = null
       from (select job_id from sync_plans where tenant_id = $1 and connector_id = $2 order by job_id desc limit $3) p
       join sync_jobs j on j.tenant_id = $1 and j.id = p.job_id
      where e.tenant_id = $1 and e.job_id = p.job_id and e.incoming is not null
        and j.status in ('cancelled', 'failed')`,
    [tx.tenantId, connectorId, plansPerPurge],
  );
  // `offset 0`: one index lookup for each plan, instead of a join that may read all jobs.
  await tx.query(
    `delete from sync_plans where tenant_id = $1 and job_id in (
       select job_id from (
         select job_id from sync_plans where tenant_id = $1 and connector_id = $2 order by job_id limit $3) p
        where not exists (select from sync_jobs j where j.tenant_id = $1 and j.id = p.job_id offset 0))`,
    [tx.tenantId, connectorId, plansPerPurge],
  );
}
