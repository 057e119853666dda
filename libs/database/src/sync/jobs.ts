// SQL by hand: runs for every page and batch, benchmarked.
import type { JobStatus } from '@idsync/contracts';
import { committedWith } from '../bus/outbox.js';
import { deleteFound } from '../by-tenant.js';
import type { Database, Transaction } from '../database.js';
import type { SyncJobEntity } from '../entities/sync.entities.js';
import { selectList, snakeCase } from '../naming-strategy.js';

export type { SourcePlace } from '../entities/sync.entities.js';

const counts = [
  'recordsRead',
  'recordsExpected',
  'recordsApplied',
  'recordsFailed',
  'fieldsLeftOut',
  'batchesWritten',
  'batchesAnnounced',
  'batchesProcessed',
  'batchesTotal',
  'progressPct',
] as const satisfies readonly (keyof SyncJobEntity)[];
/** Progress of a job. A record counts as failed if its source or the directory left it out. */
export type JobCounts = Pick<SyncJobEntity, (typeof counts)[number]>;

const failure = ['errorMessage', 'errorCode', 'sourceMessage'] as const;
/** Failure of a source: idsync's message, its error code, and the redacted source text. All null if it did not fail. */
export type SourceFailure = Pick<SyncJobEntity, (typeof failure)[number]>;

const state = [
  'id',
  'tenantId',
  'connectorId',
  'status',
  'dryRun',
  'retires',
  'leaseToken',
  'attempts',
  'cursor',
  'mode',
  'externalId',
  'outcome',
  'since',
  'configVersion',
  'checkpoint',
] as const satisfies readonly (keyof SyncJobEntity)[];

export interface SyncJob extends JobCounts, SourceFailure, Pick<SyncJobEntity, (typeof state)[number]> {
  /** True if an operator released the changes that its safeguard quarantined. */
  released: boolean;
}

export interface JobEnd extends JobCounts, SourceFailure {
  status: Extract<JobStatus, 'completed' | 'completed_with_errors' | 'failed' | 'cancelled'>;
  cancelReason: string | null;
  recordsDeleted?: number;
  note?: string;
}

/** An operator's decision on a job that could not continue by itself. */
export interface JobDecision {
  action: 'released' | 'cancelled';
  reason?: string;
  by?: string;
  at: Date;
}

export const jobColumns = `${selectList([...state, ...counts, ...failure], 'j')},
  coalesce(j.decision ->> 'action' = 'released', false) as released`;

/**
 * Locks the job of a message, which is deleted long after its end. Every change of a job or its batches takes this lock
 * first, to prevent deadlocks.
 */
export async function lockJob(tx: Transaction, jobId: string): Promise<SyncJob> {
  const sql = `select ${jobColumns} from sync_jobs j where j.id = $1 and j.tenant_id = $2 for update`;
  return committedWith(await tx.row<SyncJob>(sql, [jobId, tx.tenantId]), 'the job');
}

/** Counts the records of a held job that its source lists and that nothing has applied. */
export async function countSetAside(tx: Transaction, jobId: string): Promise<number> {
  return tx.count(
    `select count(*)::int as count from sync_plan_entries
      where tenant_id = $1 and job_id = $2 and not done and incoming is not null`,
    [tx.tenantId, jobId],
  );
}

const countAssignments = counts.map((name, nth) => `${snakeCase(name)} = $${nth + 3}`).join(', ');

/** Saves the counts of a locked job. */
export async function saveCounts(tx: Transaction, jobId: string, saved: JobCounts): Promise<void> {
  const values = counts.map((name) => saved[name]);
  await tx.query(`update sync_jobs set ${countAssignments} where tenant_id = $1 and id = $2`, [
    tx.tenantId,
    jobId,
    ...values,
  ]);
}

/**
 * Ends a locked job. Deletes unapplied batches, because they must not be applied after the connector's next job.
 * Batches of a cancelled job stay for a while, since some may have been applied, and are counted when the directory
 * reports them. `seconds` is the duration of the job.
 */
export async function endJob(tx: Transaction, jobId: string, end: JobEnd): Promise<{ seconds: number }> {
  await saveCounts(tx, jobId, end);
  const [row] = await tx.query<{ seconds: number }>(
    `update sync_jobs
        set status = $2, error_message = $3, error_code = $7, source_message = $8, cancel_reason = $4, completed_at = now(), lease_owner = null, lease_until = null,
            records_deleted = $5, note = case when $2 = 'completed' then $6 else coalesce($6, note) end, sweep_asked_at = null
      where tenant_id = $9 and id = $1 returning
            coalesce(extract(epoch from completed_at - started_at), 0)::float8 as seconds`,
    [
      jobId,
      end.status,
      end.errorMessage,
      end.cancelReason,
      end.recordsDeleted ?? 0,
      end.note ?? null,
      end.errorCode,
      end.sourceMessage,
      tx.tenantId,
    ],
  );
  if (!row) throw new Error(`job ${jobId} does not exist`);
  if (end.status !== 'cancelled') {
    await tx.query('delete from sync_batches where tenant_id = $1 and job_id = $2', [tx.tenantId, jobId]);
  }
  return row;
}

/** Counts running and quarantined jobs, by one read of an index that contains only these. */
export async function countActiveJobs(
  tx: Transaction,
): Promise<{ status: 'running' | 'quarantined'; count: number }[]> {
  return tx.query(
    `select status, count(job.id)::int as count from unnest(array['running', 'quarantined']) as status
       left join (select id, status from sync_jobs where status in ('running', 'quarantined') limit 10000) as job
      using (status) group by status`,
  );
}

/** Deletes up to `limit` jobs that ended more than 30 days ago, with their errors. Returns their number. */
export function deleteOldJobs(database: Database, limit: number): Promise<number> {
  const ended = `where completed_at < now() - interval '30 days' order by completed_at limit $1`;
  return deleteFound(database, 'sync_jobs', ended, [limit]);
}
