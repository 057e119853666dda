import { suspendedAfter } from '@idsync/contracts';
import type { Transaction } from '../database.js';
import type { SourcePlace, SyncJob } from './jobs.js';
import type { Lease } from './leases.js';

/** What the runs of a connector left behind. */
export interface ConnectorState {
  /** Where a read of changes takes up; null if no run has told. */
  checkpoint: SourcePlace | null;
  /** Of the config that the checkpoint was read by. */
  configVersion: number | null;
  /** Runs of changes that completed since the last one that read everything. */
  runsSinceFull: number;
}

export async function findConnectorState(tx: Transaction, connectorId: string): Promise<ConnectorState | undefined> {
  const [state] = await tx.query<ConnectorState>(
    `select checkpoint, config_version as "configVersion", runs_since_full as "runsSinceFull"
       from connector_states where connector_id = $1`,
    [connectorId],
  );
  return state;
}

/** How a job reads: everything, or what has changed since a checkpoint. */
export interface ReadingMode {
  mode: 'full' | 'changes';
  since?: SourcePlace;
  /** Why it reads everything though changes were wanted. */
  whyFull?: string;
}

/** Settles how a leased job reads; `anew` drops the place where it was left. */
export async function saveReadingMode(
  tx: Transaction,
  lease: Lease,
  { mode, since, whyFull }: ReadingMode,
  { configVersion, anew }: { configVersion: number; anew: boolean },
): Promise<void> {
  await tx.query(
    `update sync_jobs set mode = $4, since = $5, why_full = $6, config_version = $7, checkpoint = null,
            cursor = case when $8 then null else cursor end, attempts = case when $8 then 0 else attempts end
      where id = $1 and tenant_id = $2 and lease_token = $3`,
    [
      lease.jobId,
      lease.tenantId,
      lease.token,
      mode,
      since === undefined ? null : JSON.stringify(since),
      whyFull ?? null,
      configVersion,
      anew,
    ],
  );
}

/** What a locked job that has completed leaves to the connector's next run. Without a checkpoint of its own, the one before stays. */
export async function keepCheckpoint(tx: Transaction, job: SyncJob): Promise<void> {
  await tx.query(
    `insert into connector_states as s
        (connector_id, tenant_id, checkpoint, checkpoint_at, config_version, runs_since_full)
     select connector_id, tenant_id, checkpoint, case when checkpoint is not null then started_at end,
            case when checkpoint is not null then config_version end, case mode when 'changes' then 1 else 0 end
       from sync_jobs where id = $1
     on conflict (connector_id) do update
        set checkpoint = coalesce(excluded.checkpoint, s.checkpoint),
            checkpoint_at = coalesce(excluded.checkpoint_at, s.checkpoint_at),
            config_version = coalesce(excluded.config_version, s.config_version),
            runs_since_full = case excluded.runs_since_full when 0 then 0 else s.runs_since_full + 1 end`,
    [job.id],
  );
}

/**
 * A locked job has ended, as `succeeded` says; a cancelled one says nothing of its source. Where its success or failure changes how
 * often the connector is looked at, its next run is planned anew.
 */
export async function noteLastJob(tx: Transaction, job: SyncJob, succeeded: boolean | undefined): Promise<void> {
  const asBefore = `($5 or s.failures + 1 < ${suspendedAfter})`;
  await tx.query(
    `insert into connector_states as s (connector_id, tenant_id, last_job_id, failures, last_failed_at)
     values ($1, $2, $3, case when $4 then 0 else 1 end, case when $4 then null else now() end)
     on conflict (connector_id) do update
        set last_job_id = excluded.last_job_id,
            failures = case when $5 then s.failures when $4 then 0 else s.failures + 1 end,
            last_failed_at = case when $4 then s.last_failed_at else now() end,
            due_at = case when ${asBefore} then s.due_at end,
            next_run_at = case when ${asBefore} or s.next_run_at is null then s.next_run_at else now() end`,
    [job.connectorId, job.tenantId, job.id, succeeded ?? true, succeeded === undefined],
  );
}
