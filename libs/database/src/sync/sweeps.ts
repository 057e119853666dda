// SQL by hand: bulk updates that skip locked rows, and merged JSON.
import { uuids } from '../arrays.js';
import type { Transaction } from '../database.js';
import { SyncJobEntity } from '../entities/sync.entities.js';
import { type JobDecision, jobColumns, type SyncJob } from './jobs.js';

/** Marks a locked job as waiting for the directory's sweep. */
export async function markSweepRequested(tx: Transaction, jobId: string): Promise<void> {
  const asked = { sweepAskedAt: () => 'now()', leaseOwner: null, leaseUntil: null };
  await tx.manager.update(SyncJobEntity, { id: jobId }, { status: 'running', ...asked });
}

/** Quarantines a locked job; `note` is the reason. */
export async function quarantineJob(tx: Transaction, jobId: string, note: string): Promise<void> {
  const [row] = await tx.query(
    `update sync_jobs set status = 'quarantined', note = $2, sweep_asked_at = null where id = $1 returning 1`,
    [jobId, note],
  );
  if (!row) throw new Error(`job ${jobId} does not exist`);
}

/**
 * Locks the running job of a job's connector, except record jobs. Returns true if there is one. If it ends in the
 * meantime, the lock waits for its transaction.
 */
export async function lockRunningBeside(tx: Transaction, jobId: string): Promise<boolean> {
  const rows = await tx.query(
    `select r.id from sync_jobs j join sync_jobs r on r.connector_id = j.connector_id and r.id <> j.id
      where j.id = $1 and r.status = 'running' and r.mode <> 'record' for update of r`,
    [jobId],
  );
  return rows.length > 0;
}

/** Locks and returns the oldest released job of a connector that waits for the end of another job, if any. */
export async function lockReleasedJob(tx: Transaction, connectorId: string): Promise<SyncJob | undefined> {
  const [job] = await tx.query<SyncJob>(
    `select ${jobColumns} from sync_jobs j
      where connector_id = $1 and status = 'quarantined' and mode <> 'record' and decision ->> 'action' = 'released'
      order by id limit 1 for update`,
    [connectorId],
  );
  return job;
}

/** Saves an operator's decision; earlier ones are kept in `after`. */
export async function saveDecision(tx: Transaction, jobId: string, decision: JobDecision): Promise<void> {
  await tx.query(
    `update sync_jobs set decision = $2::jsonb ||
       case when decision is null then '{}' else jsonb_build_object('after', decision) end where id = $1`,
    [jobId, JSON.stringify(decision)],
  );
}

/** Finds jobs of all tenants whose sweep was not answered for `olderThanMs`. */
export async function findUnansweredSweeps(
  tx: Transaction,
  olderThanMs: number,
  limit: number,
): Promise<{ jobId: string; tenantId: string }[]> {
  return tx.query(
    `select id as "jobId", tenant_id as "tenantId" from sync_jobs
      where sweep_asked_at < now() - $1 * interval '1 millisecond' and status = 'running'
      order by sweep_asked_at limit $2`,
    [olderThanMs, limit],
  );
}

/** Marks those of a tenant's jobs that still wait for their sweep as requested again, and returns them. */
export async function takeUnansweredSweeps(
  tx: Transaction,
  tenantId: string,
  jobIds: readonly string[],
  olderThanMs: number,
): Promise<{ jobId: string }[]> {
  return tx.query(
    `update sync_jobs set sweep_asked_at = now() where id in (
       select id from sync_jobs where tenant_id = $1 and id = any($2)
          and sweep_asked_at < now() - $3 * interval '1 millisecond' and status = 'running' for update skip locked)
     returning id as "jobId"`,
    [tenantId, uuids(jobIds), olderThanMs],
  );
}
