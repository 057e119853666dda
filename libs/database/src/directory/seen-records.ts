import { uuids } from '../arrays.js';
import type { Transaction } from '../database.js';

/** Notes that a batch is applied; false if it was noted before. */
export async function noteSeen(
  tx: Transaction,
  tenantId: string,
  batch: { jobId: string; seq: number; connectorId: string },
): Promise<boolean> {
  const rows = await tx.query(
    `insert into seen_records (job_id, seq, tenant_id, connector_id, record_ids) values ($1, $2, $3, $4, '{}')
     on conflict do nothing returning seq`,
    [batch.jobId, batch.seq, tenantId, batch.connectorId],
  );
  return rows.length > 0;
}

/** Records that were known, as PostgreSQL writes an array, and those that were made. */
interface NamedRecords {
  knownIds: string;
  madeIds: readonly string[];
}

/** Keeps which records a noted batch named, part by part. One row a batch: unchanged records are not touched. */
export async function saveSeen(
  tx: Transaction,
  { jobId, seq }: { jobId: string; seq: number },
  parts: readonly NamedRecords[],
): Promise<void> {
  for (const { knownIds, madeIds } of parts) {
    await tx.query(
      'update seen_records set record_ids = record_ids || $3::uuid[] || $4::uuid[] where job_id = $1 and seq = $2',
      [jobId, seq, knownIds, uuids(madeIds)],
    );
  }
}

export interface SeenProof {
  /** Batches whose records were noted. */
  batches: number;
  /** Records that were left out, as far as they are known one by one. */
  errorsKept: number;
  /** Those of them that do not even say which records they were. */
  errorsUnnamed: number;
}

/** What the directory knows itself of how completely a job has seen its source. */
export async function findSeenProof(tx: Transaction, jobId: string): Promise<SeenProof> {
  const [proof] = await tx.query<SeenProof>(
    `select (select count(*) from seen_records where job_id = $1)::int as batches, count(*)::int as "errorsKept",
            (count(*) filter (where external_id is null or hides_others))::int as "errorsUnnamed"
       from sync_record_errors where job_id = $1`,
    [jobId],
  );
  if (!proof) throw new Error('a count without a row');
  return proof;
}

export interface RepeatedRecords {
  /** How often a record was named again. */
  count: number;
  /** The records, some of them if they are many. */
  externalIds: string[];
}

/** Records that several batches of a job named. It reads what the job saw: half a second for a million, once a job. */
export async function findRepeated(tx: Transaction, jobId: string, limit: number): Promise<RepeatedRecords> {
  const [repeated] = await tx.query<RepeatedRecords>(
    `with repeated as materialized (
       select id, count(*) - 1 as again from seen_records, unnest(record_ids) as id
        where job_id = $1 group by id having count(*) > 1)
     select (select coalesce(sum(again), 0)::int from repeated) as count,
            array(select r.external_id from (select id from repeated limit $2) few
                    cross join lateral (select external_id from source_records where id = few.id limit 1) r
                   order by 1) as "externalIds"`,
    [jobId, limit],
  );
  if (!repeated) throw new Error('a count without a row');
  return repeated;
}

/** Plans that are looked at when a job ends: each end has made one, and messages that were lost are made up for. */
const plansLooked = 100;

/**
 * Forgets what the connector's jobs saw that have ended, but not that a record was read while another job was under way; what
 * its latest jobs said of people whose plan will never be carried out; and its oldest plans, where their jobs are forgotten.
 */
export async function forgetEndedRuns(tx: Transaction, connectorId: string): Promise<void> {
  await tx.query(
    `delete from seen_records s where connector_id = $1 and not exists (
       select from sync_jobs j where j.id = s.job_id and j.status in ('queued', 'running', 'quarantined'))
        and not exists (
          select from sync_jobs r join sync_jobs f on f.connector_id = r.connector_id and f.id <> r.id
           where r.id = s.job_id and r.mode = 'record'
             and f.status in ('running', 'quarantined') and f.started_at < r.last_record_at)`,
    [connectorId],
  );
  await tx.query(
    `update sync_plan_entries e set incoming = null
       from (select job_id from sync_plans where connector_id = $1 order by job_id desc limit $2) p
       join sync_jobs j on j.id = p.job_id
      where e.job_id = p.job_id and e.incoming is not null and j.status in ('cancelled', 'failed')`,
    [connectorId, plansLooked],
  );
  await tx.query(
    `delete from sync_plans where job_id in (
       select job_id from (select job_id from sync_plans where connector_id = $1 order by job_id limit $2) p
        where not exists (select from sync_jobs j where j.id = p.job_id))`,
    [connectorId, plansLooked],
  );
}
