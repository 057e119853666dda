import { deleteFound } from '../by-tenant.js';
import type { Database } from '../database.js';

/** Deletes up to `limit` jobs that ended more than 30 days ago, with their errors. Returns their number. */
export function deleteOldJobs(database: Database, limit: number): Promise<number> {
  const ended = `where completed_at < now() - interval '30 days' order by completed_at limit $1`;
  return deleteFound(database, 'sync_jobs', ended, [limit]);
}
