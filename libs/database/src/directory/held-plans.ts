// SQL by hand: compares whole runs, and updates a plan together with its counts.
import { texts } from '../arrays.js';
import type { Transaction } from '../database.js';
import { SyncPlanEntryEntity } from '../entities/sweep.entities.js';

/** Returns true if there are live records that no batch of the job contained. */
export async function hasMissing(
  tx: Transaction,
  { id, connectorId }: { id: string; connectorId: string },
): Promise<boolean> {
  const rows = await tx.query(
    `select id from source_records where connector_id = $2 and status not in ('deleted', 'decommissioned')
     except
     select unnest(record_ids) from seen_records where job_id = $1 limit 1`,
    [id, connectorId],
  );
  return rows.length > 0;
}

/** Deletes all entries of a plan. Returns their number. */
export async function dropAllEntries(tx: Transaction, jobId: string): Promise<number> {
  const { affected } = await tx.manager.delete(SyncPlanEntryEntity, { jobId });
  return affected ?? 0;
}

/**
 * Deletes from a held plan what a later run contradicts: all entries of the records in `kept`, and the deletions of
 * those in `listed`. The counts of the plan follow.
 */
export async function dropContradicted(
  tx: Transaction,
  jobId: string,
  { kept, listed }: { kept: readonly string[]; listed: readonly string[] },
): Promise<void> {
  await tx.query(
    `with dropped as (
       delete from sync_plan_entries
        where job_id = $1 and (external_id = any($2) or (action = 'delete' and external_id = any($3))) returning action)
     update sync_plans p set deletions = greatest(0, p.deletions - d.deletions), disables = greatest(0, p.disables - d.disables)
       from (select count(*) filter (where action = 'delete')::int as deletions,
                    count(*) filter (where action = 'disable')::int as disables from dropped) d
      where p.job_id = $1 and d.deletions + d.disables > 0`,
    [jobId, texts(kept), texts(listed)],
  );
}

/** Returns the oldest quarantined job of a connector, other than this job. */
export async function findHeldJob(tx: Transaction, connectorId: string, jobId: string): Promise<string | undefined> {
  const [held] = await tx.query<{ id: string }>(
    `select id from sync_jobs where connector_id = $1 and status = 'quarantined' and mode <> 'record' and id <> $2
      order by id limit 1`,
    [connectorId, jobId],
  );
  return held?.id;
}
