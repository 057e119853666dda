// SQL by hand: locks that skip locked rows, and comparison of stored JSON.
import { newUuid, type Schedule, schedule } from '@idsync/contracts';
import type { Transaction } from '../database.js';
import { ConnectorStateEntity } from '../entities/sync.entities.js';
import { ofActiveTenant } from './leases.js';

export interface DueConnector {
  id: string;
  tenantId: string;
}

export interface LateConnector extends DueConnector {
  /** How long its run has been due; 0 if only its schedule changed. */
  seconds: number;
}

/**
 * Finds connectors of all tenants that are due, or whose schedule differs from the planned one; up to `limit` of each.
 */
export async function findDueConnectors(tx: Transaction, limit: number): Promise<LateConnector[]> {
  return tx.query<LateConnector>(
    `select id, "tenantId", max(seconds) as seconds from (
       (select connector_id as id, tenant_id as "tenantId", extract(epoch from now() - next_run_at)::float8 as seconds
          from connector_states s where next_run_at <= now() and ${ofActiveTenant('s')} order by next_run_at limit $1)
       union all
       (select id, tenant_id, 0 from connectors
         where schedule is distinct from planned_schedule and deleted_at is null order by id limit $1)) as found
      group by id, "tenantId"`,
    [limit],
  );
}

/** The schedule of a connector and its planned run. */
export interface ScheduleState {
  /** JSON as stored; null if the connector no longer has a schedule. */
  stored: string | null;
  /** Undefined if the stored value is not a valid schedule. */
  schedule: Schedule | undefined;
  /** True if the next run was planned with this schedule and is due. */
  isDue: boolean;
  /** The planned run, without jitter. */
  dueAt: Date | null;
  lastDueAt: Date | null;
  /** Number of consecutive failed jobs, and the time of the last failure. */
  failures: number;
  lastFailedAt: Date | null;
  now: Date;
}

/**
 * Locks the planned run of a connector. Returns undefined if another worker has locked it, or if there is nothing left
 * to plan.
 */
export async function lockSchedule(
  tx: Transaction,
  { id, tenantId }: DueConnector,
): Promise<ScheduleState | undefined> {
  await tx.query('insert into connector_states (connector_id, tenant_id) values ($1, $2) on conflict do nothing', [
    id,
    tenantId,
  ]);
  const locked = await tx.query(
    'select 1 from connector_states where connector_id = $1 and tenant_id = $2 for update skip locked',
    [id, tenantId],
  );
  if (locked.length === 0) return undefined;
  // Read after locking, because another worker may just have planned it.
  const [state] = await tx.query<Omit<ScheduleState, 'schedule'>>(
    `select case when c.deleted_at is null then c.schedule::text end as stored, s.due_at as "dueAt",
            s.last_due_at as "lastDueAt", s.failures, s.last_failed_at as "lastFailedAt", clock_timestamp() as now,
            s.due_at is not null and c.schedule is not distinct from c.planned_schedule as "isDue"
       from connectors c join connector_states s on s.tenant_id = c.tenant_id and s.connector_id = c.id
      where c.id = $1 and c.tenant_id = $2
        and (s.next_run_at <= clock_timestamp() or c.schedule is distinct from c.planned_schedule)`,
    [id, tenantId],
  );
  return state && { ...state, schedule: schedule.safeParse(JSON.parse(state.stored ?? 'null')).data };
}

/** Saves the next run of a locked connector, planned with the schedule `stored`; undefined if there is none. */
export async function savePlannedRun(
  tx: Transaction,
  { id, tenantId }: DueConnector,
  stored: string | null,
  planned: { due: Date; begins: Date } | undefined,
  lastDueAt: Date | null,
): Promise<void> {
  const plan = { dueAt: planned?.due ?? null, nextRunAt: planned?.begins ?? null, lastDueAt };
  await tx.manager.update(ConnectorStateEntity, { connectorId: id, tenantId }, plan);
  // If the schedule has changed in the meantime, it differs from `stored`, so that the connector is found again.
  await tx.query(
    `update connectors set planned_schedule = $3::jsonb
      where id = $1 and tenant_id = $2 and planned_schedule is distinct from $3::jsonb`,
    [id, tenantId, stored],
  );
}

/** Saves why a due run was skipped. */
export async function saveSkippedRun(tx: Transaction, { id, tenantId }: DueConnector, reason: string): Promise<void> {
  const skipped = { skippedAt: () => 'now()', skippedBecause: reason };
  await tx.manager.update(ConnectorStateEntity, { connectorId: id, tenantId }, skipped);
}

/** Returns the status of a queued or running job of the connector, except record jobs. */
export async function findUnfinishedJob(tx: Transaction, connectorId: string): Promise<string | undefined> {
  const [job] = await tx.query<{ status: string }>(
    `select status from sync_jobs
      where tenant_id = $1 and connector_id = $2 and mode <> 'record' and status in ('queued', 'running')
      order by id limit 1`,
    [tx.tenantId, connectorId],
  );
  return job?.status;
}

/** Queues a job for a due time. Returns false if it exists already, or if another job is queued. */
export async function insertScheduledJob(
  tx: Transaction,
  { id, tenantId }: DueConnector,
  scheduledFor: Date,
): Promise<boolean> {
  return tx.any(
    `insert into sync_jobs (id, tenant_id, connector_id, scheduled_for) values ($1, $2, $3, $4)
     on conflict do nothing returning id`,
    [newUuid(), tenantId, id, scheduledFor],
  );
}
