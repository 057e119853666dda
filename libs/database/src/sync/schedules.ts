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

/**
 * Connectors of all tenants whose run is due, or whose schedule is not the one their next run was planned by. It looks at every
 * schedule there is: 50 ms for 10 000.
 */
export async function findDueConnectors(tx: Transaction, limit: number): Promise<LateConnector[]> {
  return tx.query<LateConnector>(
    `select c.id, c.tenant_id as "tenantId",
            greatest(coalesce(extract(epoch from now() - s.next_run_at), 0), 0)::float8 as seconds
       from connectors c
       left join lateral (select schedule, next_run_at from connector_states where connector_id = c.id limit 1) s on true
      where c.schedule is not null and c.deleted_at is null
        and (s.next_run_at <= now() or s.schedule is distinct from c.schedule)
      order by s.next_run_at nulls first limit $1`,
    [limit],
  );
}

/** The schedule of a connector and what stands planned by it. */
export interface ScheduleState {
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
  const [state] = await tx.query<Omit<ScheduleState, 'schedule'> & { schedule: unknown }>(
    `select c.schedule, s.due_at as "dueAt", s.last_due_at as "lastDueAt", s.failures,
            s.last_failed_at as "lastFailedAt", clock_timestamp() as now,
            s.schedule is not distinct from c.schedule as "isDue"
       from connectors c join connector_states s on s.connector_id = c.id
      where c.id = $1 and c.tenant_id = $2 and c.deleted_at is null and c.schedule is not null
        and (s.next_run_at <= clock_timestamp() or s.schedule is distinct from c.schedule)`,
    [id, tenantId],
  );
  return state && { ...state, schedule: schedule.safeParse(state.schedule).data };
}

/** Plans the next run of a locked connector by its schedule as it is now; without one, nothing is planned. */
export async function savePlannedRun(
  tx: Transaction,
  { id, tenantId }: DueConnector,
  planned: { due: Date; begins: Date } | undefined,
  lastDueAt: Date | null,
): Promise<void> {
  await tx.query(
    `update connector_states s set schedule = c.schedule, due_at = $3, next_run_at = $4, last_due_at = $5
       from connectors c where c.id = s.connector_id and s.connector_id = $1 and s.tenant_id = $2`,
    [id, tenantId, planned?.due ?? null, planned?.begins ?? null, lastDueAt],
  );
}

/** Why a due run is not made. */
export async function saveSkippedRun(tx: Transaction, { id, tenantId }: DueConnector, reason: string): Promise<void> {
  await tx.query(
    `update connector_states set skipped_at = now(), skipped_because = $3 where connector_id = $1 and tenant_id = $2`,
    [id, tenantId, reason],
  );
}

/** Status of a job of the connector that has not ended. */
export async function findUnfinishedJob(tx: Transaction, connectorId: string): Promise<string | undefined> {
  const [job] = await tx.query<{ status: string }>(
    `select status from sync_jobs where connector_id = $1 and status in ('queued', 'running', 'quarantined')
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
