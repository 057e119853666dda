import type { Transaction } from '../database.js';

/** Deletes some jobs that ended more than 30 days ago, with their errors; returns how many. */
export async function deleteOldJobs(tx: Transaction, limit: number): Promise<number> {
  const rows = await tx.query(
    `delete from sync_jobs where id in (
       select id from sync_jobs where completed_at < now() - interval '30 days'
        order by completed_at limit $1 for update skip locked)
     returning id`,
    [limit],
  );
  return rows.length;
}
