import type { JobMode, JobStatus, RecordOutcome } from '@idsync/contracts';
import type { Transaction } from '../database.js';

/** How far a job is. A record has failed when its source or the directory left it out. */
export interface JobCounts {
  recordsRead: number;
  /** What the source is estimated to hold; null if it cannot tell. */
  recordsExpected: number | null;
  recordsApplied: number;
  recordsFailed: number;
  batchesWritten: number;
  batchesProcessed: number;
  /** Null until the source was read to its end, or failed. */
  batchesTotal: number | null;
  progressPct: number;
}

/** A place in a source, as its connector writes it. */
export type SourcePlace = Readonly<Record<string, string | number | boolean>>;

export interface SyncJob extends JobCounts {
  id: string;
  tenantId: string;
  connectorId: string;
  status: JobStatus;
  dryRun: boolean;
  /** True if an operator let it do what its safeguard held back. */
  released: boolean;
  /** Of a running job: why it will end as failed once its batches are applied. */
  errorMessage: string | null;
  leaseToken: number;
  /** Claims since the job last moved on. */
  attempts: number;
  /** Where the source was left; null at its beginning. */
  cursor: SourcePlace | null;
  /** `auto` until somebody begins to read. */
  mode: JobMode;
  /** The record it reads, where that is one alone; null otherwise. */
  externalId: string | null;
  /** What came of that record, as far as that is known. */
  outcome: RecordOutcome | null;
  /** The checkpoint whose changes are read. */
  since: SourcePlace | null;
  /** Of the config it is read by; null until somebody begins to. */
  configVersion: number | null;
  /** Where the connector's next run takes up, once this job has completed. */
  checkpoint: SourcePlace | null;
}

export interface JobEnd extends JobCounts {
  status: Extract<JobStatus, 'completed' | 'completed_with_errors' | 'failed' | 'cancelled'>;
  errorMessage: string | null;
  cancelReason: string | null;
  recordsDeleted?: number;
  note?: string;
}

/** What an operator made of a job that could not go on by itself. */
export interface JobDecision {
  action: 'released' | 'cancelled';
  reason?: string;
  by?: string;
  at: Date;
}

export const jobColumns = `j.id, j.tenant_id as "tenantId", j.connector_id as "connectorId", j.status, j.dry_run as "dryRun",
  coalesce(j.decision ->> 'action' = 'released', false) as released,
  j.error_message as "errorMessage", j.lease_token as "leaseToken", j.attempts, j.cursor, j.records_read as "recordsRead",
  j.records_expected as "recordsExpected", j.records_applied as "recordsApplied", j.records_failed as "recordsFailed",
  j.batches_written as "batchesWritten", j.batches_processed as "batchesProcessed", j.batches_total as "batchesTotal",
  j.progress_pct as "progressPct", j.mode, j.since, j.config_version as "configVersion", j.checkpoint,
  j.external_id as "externalId", j.outcome`;

/** Whoever changes a job or its batches takes this lock first, so that nobody waits for another in a circle. */
export async function lockJob(tx: Transaction, tenantId: string, jobId: string): Promise<SyncJob | undefined> {
  const [job] = await tx.query<SyncJob>(
    `select ${jobColumns} from sync_jobs j where j.id = $1 and j.tenant_id = $2 for update`,
    [jobId, tenantId],
  );
  return job;
}

/** Saves the counts of a locked job. */
export async function saveCounts(tx: Transaction, jobId: string, counts: JobCounts): Promise<void> {
  await tx.query(
    `update sync_jobs
        set records_read = $2, records_expected = $3, records_applied = $4, records_failed = $5, batches_written = $6,
            batches_processed = $7, batches_total = $8, progress_pct = $9
      where id = $1`,
    [
      jobId,
      counts.recordsRead,
      counts.recordsExpected,
      counts.recordsApplied,
      counts.recordsFailed,
      counts.batchesWritten,
      counts.batchesProcessed,
      counts.batchesTotal,
      counts.progressPct,
    ],
  );
}

/**
 * Ends a locked job. Batches that were not applied go with it: nobody may apply them after the connector's next job. Those of
 * a cancelled job stay a while, since some of them may have been applied, and are counted when the directory says so. `seconds` is
 * how long it ran.
 */
export async function endJob(tx: Transaction, jobId: string, end: JobEnd): Promise<{ endedAt: Date; seconds: number }> {
  await saveCounts(tx, jobId, end);
  const [row] = await tx.query<{ endedAt: Date; seconds: number }>(
    `update sync_jobs
        set status = $2, error_message = $3, cancel_reason = $4, completed_at = now(), lease_owner = null, lease_until = null,
            records_deleted = $5, note = case when $2 = 'completed' then $6 else coalesce($6, note) end, sweep_asked_at = null
      where id = $1 returning completed_at as "endedAt",
            coalesce(extract(epoch from completed_at - started_at), 0)::float8 as seconds`,
    [jobId, end.status, end.errorMessage, end.cancelReason, end.recordsDeleted ?? 0, end.note ?? null],
  );
  if (!row) throw new Error(`job ${jobId} is not there`);
  if (end.status !== 'cancelled') await tx.query('delete from sync_batches where job_id = $1', [jobId]);
  return row;
}

/** How many jobs are running, and how many wait for an operator: one look at an index that has no others. */
export async function countActiveJobs(
  tx: Transaction,
): Promise<{ status: 'running' | 'quarantined'; count: number }[]> {
  return tx.query(
    `select status, count(job.id)::int as count from unnest(array['running', 'quarantined']) as status
       left join (select id, status from sync_jobs where status in ('running', 'quarantined') limit 10000) as job
      using (status) group by status`,
  );
}
