import type { Transaction } from '../database.js';
import type { JobDecision } from './jobs.js';

/** A locked job now waits for the directory to sweep. */
export async function markSweepAsked(tx: Transaction, jobId: string): Promise<void> {
  await tx.query(
    `update sync_jobs set status = 'running', sweep_asked_at = now(), lease_owner = null, lease_until = null where id = $1`,
    [jobId],
  );
}

/** A locked job waits for an operator; `note` says why. */
export async function quarantineJob(tx: Transaction, jobId: string, note: string): Promise<Date> {
  const [row] = await tx.query<{ at: Date }>(
    `update sync_jobs set status = 'quarantined', note = $2, sweep_asked_at = null where id = $1 returning now() as at`,
    [jobId, note],
  );
  if (!row) throw new Error(`job ${jobId} is not there`);
  return row.at;
}

/** What an operator decided before stands in `after`. */
export async function saveDecision(tx: Transaction, jobId: string, decision: JobDecision): Promise<void> {
  await tx.query(
    `update sync_jobs set decision = $2::jsonb ||
       case when decision is null then '{}' else jsonb_build_object('after', decision) end where id = $1`,
    [jobId, JSON.stringify(decision)],
  );
}

/** Jobs whose sweep has had no answer for `olderThanMs`, marked as asked for anew; some at a time. */
export async function takeUnansweredSweeps(
  tx: Transaction,
  olderThanMs: number,
  limit: number,
): Promise<{ jobId: string; tenantId: string }[]> {
  return tx.query(
    `update sync_jobs set sweep_asked_at = now() where id in (
       select id from sync_jobs where sweep_asked_at < now() - $1 * interval '1 millisecond' and status = 'running'
        order by sweep_asked_at limit $2 for update skip locked)
     returning id as "jobId", tenant_id as "tenantId"`,
    [olderThanMs, limit],
  );
}
