// SQL by hand: compares whole runs, and updates a plan together with its counts.
import { In } from 'typeorm';
import { texts } from '../arrays.js';
import type { Transaction } from '../database.js';
import { SyncPlanEntryEntity } from '../entities/sweep.entities.js';
import { entriesOfRecord, onEntries } from './plans.js';

/** Returns true if there are live records that no batch of the job contained. */
export async function hasMissing(
  tx: Transaction,
  { id, connectorId }: { id: string; connectorId: string },
): Promise<boolean> {
  return tx.any(
    `select id from source_records
      where tenant_id = $3 and connector_id = $2 and status not in ('deleted', 'decommissioned')
     except
     select unnest(record_ids) from seen_records where tenant_id = $3 and job_id = $1 limit 1`,
    [id, connectorId, tx.tenantId],
  );
}

/** Deletes all entries of a plan. Returns their number. */
export async function dropAllEntries(tx: Transaction, jobId: string): Promise<number> {
  const { affected } = await tx.manager.delete(SyncPlanEntryEntity, { tenantId: tx.tenantId, jobId });
  return affected ?? 0;
}

/** Deletes the planned deletions and disables of a plan. Returns their number. */
export async function dropDestructive(tx: Transaction, jobId: string): Promise<number> {
  const { affected } = await tx.manager.delete(SyncPlanEntryEntity, {
    tenantId: tx.tenantId,
    jobId,
    action: In(['delete', 'disable']),
  });
  return affected ?? 0;
}

/** Returns true if a plan has still to create records, or to change them otherwise than by a disable or deletion. */
export async function hasAdditions(tx: Transaction, jobId: string): Promise<boolean> {
  return tx.any(
    `select from sync_plan_entries
      where tenant_id = $1 and job_id = $2 and (action in ('create', 'update') or moved_from is not null) and not done
      limit 1`,
    [tx.tenantId, jobId],
  );
}

/** Returns true if nothing of a held plan is left to decide, and the run was not held because it left out records. */
export async function isObsolete(tx: Transaction, heldId: string): Promise<boolean> {
  return tx.any(
    `select from sync_plans p where p.tenant_id = $1 and p.job_id = $2 and p.state = 'held'
        and not p.reasons @> '[{"rule": "failed"}]'
        and not exists (select from sync_plan_entries where tenant_id = $1 and job_id = $2 and not done)`,
    [tx.tenantId, heldId],
  );
}

/** Deletes from a held plan the records, and new ids of records, that a later, complete run would not create. */
export async function dropUnlisted(tx: Transaction, heldId: string, jobId: string): Promise<void> {
  await tx.query(
    `delete from sync_plan_entries e
      where e.tenant_id = $3 and e.job_id = $1 and not e.done and (e.based_on is null or e.moved_from is not null)
        and not exists (
          select from sync_plan_entries n where n.tenant_id = $3 and n.job_id = $2 and n.external_id = e.external_id)`,
    [heldId, jobId, tx.tenantId],
  );
}

/** Deletes from a held plan the new ids of records that a later run lists under their old ones. */
export async function dropUnmoved(tx: Transaction, heldId: string, jobId: string): Promise<void> {
  await tx.query(
    `delete from sync_plan_entries
      where tenant_id = $3 and job_id = $1 and not done and moved_from is not null
        and record_id in (
          select unnest(record_ids || named_ids) from seen_records where tenant_id = $3 and job_id = $2)`,
    [heldId, jobId, tx.tenantId],
  );
}

/**
 * Deletes from a held plan what a later run contradicts: all entries of the records in `kept`, except the creations and
 * changes of those in `waiting`, and the deletions of those in `listed`. The counts of the plan follow.
 */
export async function dropContradicted(
  tx: Transaction,
  jobId: string,
  { kept, listed, waiting }: Record<'kept' | 'listed' | 'waiting', readonly string[]>,
): Promise<void> {
  const found = await tx.query<{ id: number }>(
    `select e.id from unnest($3::text[]) as n (external_id) cross join lateral ${entriesOfRecord} e
      where not e.done and not ((e.action in ('create', 'update') or e.moved_from is not null) and n.external_id = any($5))
     union
     select e.id from unnest($4::text[]) as n (external_id) cross join lateral ${entriesOfRecord} e
      where not e.done and e.action = 'delete'`,
    [tx.tenantId, jobId, texts(kept), texts(listed), texts(waiting)],
  );
  const drop = (where: string) =>
    `with dropped as (delete from sync_plan_entries where ${where} and not done returning action)
     update sync_plans p set deletions = greatest(0, p.deletions - d.deletions), disables = greatest(0, p.disables - d.disables)
       from (select count(*) filter (where action = 'delete')::int as deletions,
                    count(*) filter (where action = 'disable')::int as disables from dropped) d
      where p.tenant_id = $1 and p.job_id = $2 and d.deletions + d.disables > 0`;
  await onEntries(
    tx,
    jobId,
    found.map(({ id }) => id),
    drop,
  );
}

/** Returns the oldest quarantined job of a connector, other than this job. */
export async function findHeldJob(tx: Transaction, connectorId: string, jobId: string): Promise<string | undefined> {
  const [held] = await tx.ids(
    `select id from sync_jobs
      where tenant_id = $1 and connector_id = $2 and status = 'quarantined' and mode <> 'record' and id <> $3
      order by id limit 1`,
    [tx.tenantId, connectorId, jobId],
  );
  return held;
}

/**
 * Deletes the entries of all other held plans of a connector, because its records are retired or handed over: a later
 * release would restore or delete them.
 */
export async function dropHeldPlans(tx: Transaction, connectorId: string, jobId?: string): Promise<void> {
  await tx.query(
    `delete from sync_plan_entries e using sync_jobs j
      where j.tenant_id = $3 and j.connector_id = $1 and j.status = 'quarantined' and j.mode <> 'record'
        and j.id is distinct from $2::uuid and e.tenant_id = $3 and e.job_id = j.id`,
    [connectorId, jobId ?? null, tx.tenantId],
  );
}
