// SQL by hand: bulk locks and deletions that skip locked rows.
import type { SourceRecord } from '@idsync/contracts';
import { arraysOf, integers, uuids } from '../arrays.js';
import { searchAndWork } from '../by-tenant.js';
import type { Database, Transaction } from '../database.js';
import type { SyncJob } from './jobs.js';

/** Identifies a batch in a search across tenants. */
export interface BatchPlace {
  jobId: string;
  seq: number;
  tenantId: string;
}

/** Batches by id, which are the second and the third parameter. */
const places = 'unnest($2::uuid[], $3::integer[]) as found (job_id, seq)';
const placesOf = (found: readonly BatchPlace[]) => arraysOf(found, { jobId: uuids, seq: integers });

/** Stores a batch until the directory has applied it. */
export async function insertBatch(
  tx: Transaction,
  job: SyncJob,
  seq: number,
  records: readonly SourceRecord[],
): Promise<void> {
  await tx.query(
    'insert into sync_batches (job_id, seq, tenant_id, connector_id, records) values ($1, $2, $3, $4, $5)',
    [job.id, seq, job.tenantId, job.connectorId, JSON.stringify(records)],
  );
}

/** Returns true if the batch existed, so that each batch is counted once. */
export async function removeBatch(tx: Transaction, jobId: string, seq: number): Promise<boolean> {
  return tx.any('delete from sync_batches where tenant_id = $1 and job_id = $2 and seq = $3 returning seq', [
    tx.tenantId,
    jobId,
    seq,
  ]);
}

/** There are few batches and many jobs; without a limit, PostgreSQL may read all jobs. */
const jobOfBatch = `cross join lateral (
  select completed_at, batches_announced from sync_jobs
   where tenant_id = b.tenant_id and id = b.job_id limit 1) as j`;

/** Deletes up to `limit` batches of jobs that ended `olderThanMs` ago. Returns their number. */
export async function deleteLeftoverBatches(database: Database, olderThanMs: number, limit: number): Promise<number> {
  return searchAndWork(
    database,
    (tx) =>
      tx.query<BatchPlace>(
        `select b.job_id as "jobId", b.seq, b.tenant_id as "tenantId" from sync_batches b ${jobOfBatch}
          where j.completed_at < now() - $1 * interval '1 millisecond' limit $2`,
        [olderThanMs, limit],
      ),
    async (tx, found) => {
      const gone = await tx.query(
        `delete from sync_batches where tenant_id = $1 and (job_id, seq) in (
           select job_id, seq from sync_batches b join ${places} using (job_id, seq)
            where b.tenant_id = $1 for update of b skip locked)
         returning seq`,
        [tx.tenantId, ...placesOf(found)],
      );
      return gone.length;
    },
  );
}

/** Waits for batches of the job that are being applied, and prevents others until the end of the transaction. */
export async function blockBatches(tx: Transaction, jobId: string): Promise<void> {
  await tx.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`batches ${jobId}`]);
}

/**
 * Finds batches of all tenants whose message was not answered for `olderThanMs`. The table contains only batches in
 * flight, so a scan is cheap.
 */
export async function findUnansweredBatches(
  tx: Transaction,
  olderThanMs: number,
  limit: number,
): Promise<BatchPlace[]> {
  return tx.query(
    `select b.job_id as "jobId", b.seq, b.tenant_id as "tenantId" from sync_batches b ${jobOfBatch}
      where b.announced_at < now() - $1 * interval '1 millisecond' and j.completed_at is null
        and b.seq < j.batches_announced
      order by b.announced_at limit $2`,
    [olderThanMs, limit],
  );
}

/** Marks those of a tenant's batches that are still unanswered as published again, and returns them. */
export async function takeUnansweredBatches(
  tx: Transaction,
  found: readonly BatchPlace[],
  olderThanMs: number,
): Promise<{ jobId: string; seq: number }[]> {
  return tx.query(
    `update sync_batches set announced_at = now() where tenant_id = $1 and (job_id, seq) in (
       select job_id, seq from sync_batches b join ${places} using (job_id, seq)
        where b.tenant_id = $1 and b.announced_at < now() - $4 * interval '1 millisecond' for update of b skip locked)
     returning job_id as "jobId", seq`,
    [tx.tenantId, ...placesOf(found), olderThanMs],
  );
}

/** Counts the jobs of each tenant that have unapplied batches. */
export async function countApplyingJobs(
  database: Pick<Database, 'readAcrossTenants'>,
): Promise<ReadonlyMap<string, number>> {
  const rows = await database.readAcrossTenants<{ tenantId: string; count: number }>({
    name: 'applying-jobs',
    text: `select tenant_id as "tenantId", count(*)::int as count from sync_jobs
            where status = 'running' and mode <> 'record' and batches_written > batches_processed group by tenant_id`,
    values: [],
  });
  return new Map(rows.map(({ tenantId, count }) => [tenantId, count]));
}
