import { newUuid, type Schedule, schedule } from '@idsync/contracts';
import type { Transaction } from '../database.js';

export interface DueConnector {
  id: string;
  tenantId: string;
}

export interface LateConnector extends DueConnector {
  /** How long its run has been due; 0 where only its schedule changed. */
  seconds: number;
}

/** Connectors of all tenants whose run is due, or whose schedule is not the one that was planned by: so many of each. */
export async function findDueConnectors(tx: Transaction, limit: number): Promise<LateConnector[]> {
  return tx.query<LateConnector>(
    `select id, "tenantId", max(seconds) as seconds from (
       (select connector_id as id, tenant_id as "tenantId", extract(epoch from now() - next_run_at)::float8 as seconds
          from connector_states where next_run_at <= now() order by next_run_at limit $1)
       union all
       (select id, tenant_id, 0 from connectors
         where schedule is distinct from planned_schedule and deleted_at is null order by id limit $1)) as found
      group by id, "tenantId"`,
    [limit],
  );
}

/** The schedule of a connector and what stands planned by it. */
export interface ScheduleState {
  /** JSON as it is stored; null if the connector has none any more. */
  stored: string | null;
  /** Undefined if what is stored is none. */
  schedule: Schedule | undefined;
  /** True if the next run is planned by this schedule and has come. */
  isDue: boolean;
  /** The planned run, without jitter. */
  dueAt: Date | null;
  lastDueAt: Date | null;
  /** Jobs in a row that failed, and when the last of them did. */
  failures: number;
  lastFailedAt: Date | null;
  now: Date;
}

/** Locks what is planned of a connector; undefined if another worker has it, or if there is nothing to do for it any more. */
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
  // Read when it is locked: another may just have planned it.
  const [state] = await tx.query<Omit<ScheduleState, 'schedule'>>(
    `select case when c.deleted_at is null then c.schedule::text end as stored, s.due_at as "dueAt",
            s.last_due_at as "lastDueAt", s.failures, s.last_failed_at as "lastFailedAt", clock_timestamp() as now,
            s.due_at is not null and c.schedule is not distinct from c.planned_schedule as "isDue"
       from connectors c join connector_states s on s.connector_id = c.id
      where c.id = $1 and c.tenant_id = $2
        and (s.next_run_at <= clock_timestamp() or c.schedule is distinct from c.planned_schedule)`,
    [id, tenantId],
  );
  return state && { ...state, schedule: schedule.safeParse(JSON.parse(state.stored ?? 'null')).data };
}

/** Plans the next run of a locked connector by a schedule of its own, as it was `stored`; null if nothing is to be planned. */
export async function savePlannedRun(
  tx: Transaction,
  { id, tenantId }: DueConnector,
  stored: string | null,
  planned: { due: Date; begins: Date } | undefined,
  lastDueAt: Date | null,
): Promise<void> {
  await tx.query(
    'update connector_states set due_at = $3, next_run_at = $4, last_due_at = $5 where connector_id = $1 and tenant_id = $2',
    [id, tenantId, planned?.due ?? null, planned?.begins ?? null, lastDueAt],
  );
  // One that has changed meanwhile is not the one that was planned by, and is seen to again.
  await tx.query(
    `update connectors set planned_schedule = $3::jsonb
      where id = $1 and tenant_id = $2 and planned_schedule is distinct from $3::jsonb`,
    [id, tenantId, stored],
  );
}

/** Why a due run is not made. */
export async function saveSkippedRun(tx: Transaction, { id, tenantId }: DueConnector, reason: string): Promise<void> {
  await tx.query(
    `update connector_states set skipped_at = now(), skipped_because = $3 where connector_id = $1 and tenant_id = $2`,
    [id, tenantId, reason],
  );
}

/** Status of a job of the connector that has not ended; those of one record are in nobody's way. */
export async function findUnfinishedJob(tx: Transaction, connectorId: string): Promise<string | undefined> {
  const [job] = await tx.query<{ status: string }>(
    `select status from sync_jobs where connector_id = $1 and mode <> 'record' and status in ('queued', 'running', 'quarantined')
      order by id limit 1`,
    [connectorId],
  );
  return job?.status;
}

/** A job for a due time, once; false if there is one, or if another was queued at this moment. */
export async function insertScheduledJob(
  tx: Transaction,
  { id, tenantId }: DueConnector,
  scheduledFor: Date,
): Promise<boolean> {
  const rows = await tx.query(
    `insert into sync_jobs (id, tenant_id, connector_id, scheduled_for) values ($1, $2, $3, $4)
     on conflict do nothing returning id`,
    [newUuid(), tenantId, id, scheduledFor],
  );
  return rows.length > 0;
}
