// SQL by hand: bulk updates that skip locked rows, and merged JSON.
import { unanswered } from '../by-tenant.js';
import type { Transaction } from '../database.js';
import { SyncJobEntity } from '../entities/sync.entities.js';
import { type JobDecision, jobColumns, type SyncJob } from './jobs.js';

/** Marks a locked job as waiting for the directory's sweep. */
export async function markSweepRequested(tx: Transaction, jobId: string): Promise<void> {
  const asked = { sweepAskedAt: () => 'now()', leaseOwner: null, leaseUntil: null };
  await tx.manager.update(SyncJobEntity, { tenantId: tx.tenantId, id: jobId }, { status: 'running', ...asked });
}

/** Quarantines a locked job; `note` is the reason. */
export async function quarantineJob(tx: Transaction, jobId: string, note: string): Promise<void> {
  const [row] = await tx.query(
    `update sync_jobs set status = 'quarantined', note = $3, sweep_asked_at = null
      where tenant_id = $1 and id = $2 returning 1`,
    [tx.tenantId, jobId, note],
  );
  if (!row) throw new Error(`job ${jobId} does not exist`);
}

/**
 * Locks the running job of a job's connector, except record jobs. Returns true if there is one. If it ends in the
 * meantime, the lock waits for its transaction.
 */
export async function lockRunningBeside(tx: Transaction, jobId: string): Promise<boolean> {
  return tx.any(
    `select r.id from sync_jobs j
       join sync_jobs r on r.tenant_id = j.tenant_id and r.connector_id = j.connector_id and r.id <> j.id
      where j.tenant_id = $1 and j.id = $2 and r.status = 'running' and r.mode <> 'record' for update of r`,
    [tx.tenantId, jobId],
  );
}

/** Locks and returns the oldest released job of a connector that waits for the end of another job, if any. */
export async function lockReleasedJob(tx: Transaction, connectorId: string): Promise<SyncJob | undefined> {
  return tx.row<SyncJob>(
    `select ${jobColumns} from sync_jobs j
      where tenant_id = $1 and connector_id = $2 and status = 'quarantined' and mode <> 'record'
        and decision ->> 'action' = 'released' order by id limit 1 for update`,
    [tx.tenantId, connectorId],
  );
}

/** Saves an operator's decision; earlier ones are kept in `after`. */
export async function saveDecision(tx: Transaction, jobId: string, decision: JobDecision): Promise<void> {
  await tx.query(
    `update sync_jobs
        set decision = case when decision is null then $3::jsonb else jsonb_set($3::jsonb, '{after}', decision) end
      where tenant_id = $1 and id = $2`,
    [tx.tenantId, jobId, JSON.stringify(decision)],
  );
}

/** The jobs whose sweep was not answered. */
export const unansweredSweeps = unanswered('sync_jobs', 'sweep_asked_at', `status = 'running'`);
