// SQL by hand: upserts that depend on what is stored.
import { suspendedAfter } from '@idsync/contracts';
import type { Transaction } from '../database.js';
import { ConnectorStateEntity, SyncJobEntity } from '../entities/sync.entities.js';
import { findRow } from '../rows.js';
import type { SourcePlace, SyncJob } from './jobs.js';
import type { Lease } from './leases.js';

/** State that earlier runs of a connector stored. */
export type ConnectorState = Pick<
  ConnectorStateEntity,
  'checkpoint' | 'configVersion' | 'runsSinceFull' | 'completeAsOf'
>;

export function findConnectorState(tx: Transaction, connectorId: string): Promise<ConnectorState | undefined> {
  return findRow(tx, ConnectorStateEntity, { where: { tenantId: tx.tenantId, connectorId } });
}

/** Returns the due time of the run after a scheduled job; for other jobs, and without a further run, now. */
export async function findNextRun(tx: Transaction, jobId: string): Promise<Date> {
  const [row] = await tx.query<{ at: Date }>(
    `select greatest(case when j.scheduled_for is not null then s.due_at end, clock_timestamp()) as at
       from sync_jobs j left join connector_states s using (tenant_id, connector_id)
      where j.tenant_id = $1 and j.id = $2`,
    [tx.tenantId, jobId],
  );
  if (!row) throw new Error(`job ${jobId} does not exist`);
  return row.at;
}

/**
 * Returns the age in seconds of the oldest complete read among connectors with an active schedule; a connector without
 * one counts from its creation.
 */
export async function findOldestCompleteRead(tx: Transaction): Promise<number> {
  const [row] = await tx.query<{ seconds: number }>(
    `select coalesce(max(extract(epoch from now() - coalesce(c.complete_as_of, c.created_at))), 0)::float8 as seconds
       from (select c.created_at, s.complete_as_of from connectors c
               left join connector_states s on s.tenant_id = c.tenant_id and s.connector_id = c.id
              where schedule is not null and schedule -> 'paused' is distinct from 'true' and deleted_at is null
              limit 10000) as c`,
  );
  return row?.seconds ?? 0;
}

/** How a job reads: everything, or changes since a checkpoint. */
export interface ReadingMode {
  mode: 'full' | 'changes';
  since?: SourcePlace;
  /** Why a full run replaces a requested incremental one. */
  whyFull?: string;
}

/** Saves how a leased job reads; `restart` drops its position. */
export async function saveReadingMode(
  tx: Transaction,
  lease: Lease,
  { mode, since, whyFull }: ReadingMode,
  { configVersion, restart }: { configVersion: number; restart: boolean },
): Promise<void> {
  const leased = { id: lease.jobId, tenantId: lease.tenantId, leaseToken: lease.token };
  const reading = { mode, since: since ?? null, whyFull: whyFull ?? null, configVersion, checkpoint: null };
  await tx.manager.update(SyncJobEntity, leased, restart ? { ...reading, cursor: null, attempts: 0 } : reading);
}

/**
 * Stores the checkpoint of a completed, locked job for the connector's next run. Without a checkpoint, the previous one
 * is kept. Pushed resources are complete after every run, because each push is recorded.
 */
export async function saveCheckpoint(tx: Transaction, job: SyncJob): Promise<void> {
  // A released job may end after a later run of its connector, whose checkpoint is kept.
  const isNewer =
    '(excluded.checkpoint_at is not null and excluded.checkpoint_at >= coalesce(s.checkpoint_at, excluded.checkpoint_at))';
  await tx.query(
    `insert into connector_states as s
        (connector_id, tenant_id, checkpoint, checkpoint_at, config_version, runs_since_full, complete_as_of)
     select j.connector_id, j.tenant_id, j.checkpoint, case when j.checkpoint is not null then j.started_at end,
            case when j.checkpoint is not null then j.config_version end, case when j.mode = 'changes' then 1 else 0 end,
            case when j.mode = 'full' or c.type = 'scim-push' then j.started_at end
       from sync_jobs j join connectors c on c.tenant_id = j.tenant_id and c.id = j.connector_id
      where j.tenant_id = $1 and j.id = $2
     on conflict (tenant_id, connector_id) do update
        set checkpoint = case when ${isNewer} then excluded.checkpoint else s.checkpoint end,
            checkpoint_at = case when ${isNewer} then excluded.checkpoint_at else s.checkpoint_at end,
            config_version = case when ${isNewer} then excluded.config_version else s.config_version end,
            runs_since_full = case when excluded.runs_since_full = 0 then 0 else s.runs_since_full + 1 end,
            complete_as_of = greatest(excluded.complete_as_of, s.complete_as_of)`,
    [job.tenantId, job.id],
  );
}

/**
 * Stores the end of a locked job: `succeeded` is undefined for a cancelled job, which says nothing about its source. If
 * the result changes how often the connector runs, its next run is planned again.
 */
export async function saveLastJob(tx: Transaction, job: SyncJob, succeeded: boolean | undefined): Promise<void> {
  const ended = await tx.row<{ at: string }>('select now()::text as at');
  const asBefore = `($5 or s.failures + 1 < ${suspendedAfter})`;
  await tx.query(
    `insert into connector_states as s (connector_id, tenant_id, last_job_id, failures, last_failed_at)
     values ($1, $2, $3, case when $4 then 0 else 1 end, case when $4 then null else $6::timestamptz end)
     on conflict (tenant_id, connector_id) do update
        set last_job_id = excluded.last_job_id,
            failures = case when $5 then s.failures when $4 then 0 else s.failures + 1 end,
            last_failed_at = coalesce(excluded.last_failed_at, s.last_failed_at),
            due_at = case when ${asBefore} then s.due_at end,
            next_run_at = case when ${asBefore} or s.next_run_at is null then s.next_run_at else $6::timestamptz end
      -- A released job may end after a later run, which says more about the source. Ids are in the order of creation.
      where s.last_job_id is null or s.last_job_id <= excluded.last_job_id`,
    [job.connectorId, job.tenantId, job.id, succeeded ?? true, succeeded === undefined, ended?.at],
  );
}
