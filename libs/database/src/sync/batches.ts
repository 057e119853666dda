import type { SourceRecord } from '@idsync/contracts';
import type { Transaction } from '../database.js';
import type { SyncJob } from './jobs.js';

/** A batch lies here until the directory has applied it. */
export async function insertBatch(
  tx: Transaction,
  job: SyncJob,
  seq: number,
  records: readonly SourceRecord[],
): Promise<void> {
  await tx.query(
    `insert into sync_batches (job_id, seq, tenant_id, connector_id, record_count, records)
     values ($1, $2, $3, $4, $5, $6)`,
    [job.id, seq, job.tenantId, job.connectorId, records.length, JSON.stringify(records)],
  );
}

/** True if it was there: whoever removes it is the one who counts it. */
export async function removeBatch(tx: Transaction, jobId: string, seq: number): Promise<boolean> {
  const rows = await tx.query('delete from sync_batches where job_id = $1 and seq = $2 returning seq', [jobId, seq]);
  return rows.length > 0;
}

/** Deletes what is left of jobs that ended `olderThanMs` ago; some at a time. Returns how many. */
export async function deleteLeftBatches(tx: Transaction, olderThanMs: number, limit: number): Promise<number> {
  const rows = await tx.query(
    `delete from sync_batches where (job_id, seq) in (
       select b.job_id, b.seq from sync_batches b join sync_jobs j on j.id = b.job_id
        where j.completed_at < now() - $1 * interval '1 millisecond' limit $2 for update of b skip locked)
     returning seq`,
    [olderThanMs, limit],
  );
  return rows.length;
}

/** Waits until no batch of the job is being applied; none will be until the end of the transaction. */
export async function holdBatches(tx: Transaction, jobId: string): Promise<void> {
  await tx.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`batches ${jobId}`]);
}

/**
 * Batches whose announcement has had no answer for `olderThanMs`, marked as announced anew; some at a time. The table
 * holds what is in flight only, so it is read as it lies. Batches of changes are announced one after another.
 */
export async function takeUnansweredBatches(
  tx: Transaction,
  olderThanMs: number,
  limit: number,
): Promise<{ jobId: string; seq: number; tenantId: string }[]> {
  return tx.query(
    `update sync_batches set announced_at = now() where (job_id, seq) in (
       select b.job_id, b.seq from sync_batches b join sync_jobs j on j.id = b.job_id
        where b.announced_at < now() - $1 * interval '1 millisecond' and j.completed_at is null
          and (j.mode <> 'changes' or b.seq = j.batches_processed)
        order by b.announced_at limit $2 for update of b skip locked)
     returning job_id as "jobId", seq, tenant_id as "tenantId"`,
    [olderThanMs, limit],
  );
}
