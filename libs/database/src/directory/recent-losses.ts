// SQL by hand: what the runs of a day have removed, and from how many people they took access.
import { uuids } from '../arrays.js';
import type { Transaction } from '../database.js';
import { planMarks } from './planned-additions.js';
import { deletedStatuses } from './plans.js';

/** `gone`: of the deletions those of records that have not come back. */
export interface RecentRemovals {
  deletions: number;
  disables: number;
  gone: number;
}

/**
 * Counts deletions and disables of the connector's jobs within the last hours, because a source that loses a few records
 * in each run, or pushes them one by one, would stay below the bound of a run. Released changes, and all changes before
 * a release, do not count.
 */
export async function countRecentRemovals(
  tx: Transaction,
  { id, connectorId }: { id: string; connectorId: string },
  withinHours: number,
): Promise<RecentRemovals> {
  const [row] = await tx.query<RecentRemovals>(
    `with runs as (
       select p.job_id, p.deletions, p.disables, j.completed_at, j.decision ->> 'action' is not distinct from 'released' as released
         from sync_plans p
        cross join lateral (select dry_run, mode, status, completed_at, decision from sync_jobs
                             where tenant_id = $4 and id = p.job_id limit 1) j
        where p.tenant_id = $4 and p.connector_id = $1 and p.job_id <> $2 and (p.deletions > 0 or p.disables > 0)
          and not j.dry_run and j.mode <> 'record' and j.completed_at > now() - make_interval(hours => $3)
          and j.status in ('completed', 'completed_with_errors'))
     select coalesce(sum(deletions), 0)::int as deletions, coalesce(sum(disables), 0)::int as disables,
            coalesce(sum(gone.count), 0)::int as gone
       from runs
      cross join lateral (
        select count(*) as count from sync_plan_entries e
         where e.tenant_id = $4 and e.job_id = runs.job_id and runs.deletions > 0 and e.action = 'delete' and e.done
           and (select r.status in ${deletedStatuses} from source_records r
                 where r.tenant_id = $4 and r.id = e.record_id limit 1)) gone
      where completed_at > coalesce((select max(completed_at) from runs where released), '-infinity')`,
    [connectorId, id, withinHours, tx.tenantId],
  );
  return row ?? { deletions: 0, disables: 0, gone: 0 };
}

/** Bounds what a later run reads of this one; more people than these count as if they still had no access. */
const mostLost = 10_000;

/** Adds the people who lost access when this plan was applied. */
export async function addLosses(tx: Transaction, jobId: string, identityIds: readonly string[]): Promise<void> {
  if (identityIds.length === 0) return;
  await tx.query(
    `update sync_plans set losses = losses + cardinality($2::uuid[]), lost_identity_ids = array(select unnest(lost_identity_ids || $2::uuid[]) limit $3::int)
      where tenant_id = $4 and job_id = $1`,
    [jobId, uuids(identityIds), mostLost, tx.tenantId],
  );
}

/** Lets one run after the other compute what all sources take, until the end of the transaction. */
export async function lockLosses(tx: Transaction): Promise<void> {
  await tx.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`losses ${tx.tenantId}`]);
}

/** Entries of a plan, `e`, that disable or delete a record of a person with access, or take it otherwise. */
const taking = (tenant: string) => `e.action in ('disable', 'delete') and ('${planMarks.losing}' = any(e.changed_fields)
  or (select i.status in ('active', 'suspended') from source_records r
        join identities i on i.tenant_id = ${tenant} and i.id = r.identity_id
       where r.tenant_id = ${tenant} and r.id = e.record_id limit 1))`;

/**
 * Counts the people who lost access by other runs and changes of settings within the last hours, back to a release or a
 * confirmation, or do by runs that are being applied; none if all of them are of this source, because its bounds apply to
 * these. People with access again after a run do not count. The caller must hold the lock of the losses.
 */
export async function countRecentLosses(
  tx: Transaction,
  { id, connectorId }: { id: string; connectorId: string },
  withinHours: number,
): Promise<number> {
  return tx.count(
    `with applied as (
       select p.losses - back.count as losses, p.connector_id, coalesce(j.completed_at, now()) as at, j.decision ->> 'action' is not distinct from 'released' as released
         from sync_plans p
        cross join lateral (select completed_at, decision from sync_jobs where tenant_id = $1 and id = p.job_id limit 1) j
        cross join lateral (
          select count(*)::int as count from unnest(p.lost_identity_ids) as lost (id)
           where (select status in ('active', 'suspended') from identities
                   where tenant_id = $1 and id = lost.id limit 1)) back
        where p.tenant_id = $1 and p.losses > 0 and p.job_id <> $2
          and coalesce(j.completed_at, now()) > now() - make_interval(hours => $3)),
     runs as (
       select losses, connector_id, at, released from applied
       union all
       select (result ->> 'access_lost')::int, id, coalesce(ended_at, now()), type = 'operation.confirm' from operations
        where tenant_id = $1 and status in ('done', 'running', 'cancelled') and result ? 'access_lost'
          and (ended_at is null or ended_at > now() - make_interval(hours => $3))
       union all
       select open.losses, p.connector_id, now(), false
         from (select id from sync_jobs
                where tenant_id = $1 and status = 'running' and id <> $2 and $3 > 0
                  and decision ->> 'action' is distinct from 'released') j
        cross join lateral (select job_id, connector_id from sync_plans
                             where tenant_id = $1 and job_id = j.id and state = 'ready' limit 1) p
        cross join lateral (select count(*)::int as losses from sync_plan_entries e
                             where e.tenant_id = $1 and e.job_id = p.job_id and not e.done and ${taking('$1')}) open
        where open.losses > 0)
     select coalesce(sum(losses), 0)::int as count from runs
      where at > coalesce((select max(at) from runs where released), '-infinity')
     having bool_or(connector_id <> $4)`,
    [tx.tenantId, id, withinHours, connectorId],
  );
}

/**
 * Counts the users with access that a plan deletes, and whose people no other source lists, or not only as active.
 * `offset 0` keeps it a lookup by identity, also in a table without statistics.
 */
export async function countLastActive(
  tx: Transaction,
  { id, connectorId }: { id: string; connectorId: string },
): Promise<number> {
  return tx.count(
    `select count(*)::int as count from sync_plan_entries e
      where e.tenant_id = $3 and e.job_id = $1 and ${taking('$3')} and e.action = 'delete' and e.kind = 'user' and not (
        select coalesce(bool_and(o.status = 'active'), false)
          from (select * from source_records
                 where tenant_id = $3 and identity_id = (
                   select identity_id from source_records where tenant_id = $3 and id = e.record_id limit 1) offset 0) o
         where o.kind = 'user' and o.connector_id <> $2 and (o.status <> 'deleted' or o.content_hash <> ''))`,
    [id, connectorId, tx.tenantId],
  );
}

/** Counts the records of people with access that a plan disables or deletes, or by which they lose it otherwise. */
export async function countTaking(tx: Transaction, jobId: string): Promise<number> {
  return tx.count(
    `select count(*)::int as count from sync_plan_entries e where e.tenant_id = $1 and e.job_id = $2 and ${taking('$1')}`,
    [tx.tenantId, jobId],
  );
}
