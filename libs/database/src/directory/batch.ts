// SQL by hand: runs for every batch, benchmarked.
import {
  type ConnectorType,
  type JobMode,
  type JobStatus,
  type RecordKind,
  type Safeguard,
  safeguard,
} from '@idsync/contracts';
import { texts, uuids } from '../arrays.js';
import type { Transaction } from '../database.js';
import { BatchBegunEntity } from '../entities/sync.entities.js';
import { findRow } from '../rows.js';

export interface ReadyBatch {
  connectorId: string;
  /** JSON array of SourceRecord. */
  records: string;
  jobStatus: JobStatus;
  kind: RecordKind;
  dryRun: boolean;
  mode: JobMode;
  /** True if a process stopped while applying it, or may have. */
  isSuspect: boolean;
}

export interface ConnectorInfo {
  id: string;
  type: ConnectorType;
  priority: number;
  records: RecordKind;
  /** Whether it lists employments, and not logins. */
  employments: boolean;
}

/** Prevents cancellation of the job until the end of the transaction. */
export async function preventCancellation(tx: Transaction, jobId: string): Promise<void> {
  await tx.query('select pg_advisory_xact_lock_shared(hashtextextended($1, 0))', [`batches ${jobId}`]);
}

/** Reads a batch to be applied. Its job cannot be cancelled before the end of the transaction. */
export async function findBatch(tx: Transaction, jobId: string, seq: number): Promise<ReadyBatch | undefined> {
  await preventCancellation(tx, jobId);
  return tx.row<ReadyBatch>(
    `select b.connector_id as "connectorId", b.records, j.status as "jobStatus", c.records as kind,
            j.dry_run as "dryRun", j.mode,
            exists (select from batches_begun where tenant_id = $1 and job_id = $2 and seq = $3) as "isSuspect"
       from sync_batches b
       join sync_jobs j on j.tenant_id = $1 and j.id = b.job_id
       join connectors c on c.tenant_id = $1 and c.id = b.connector_id
      where b.tenant_id = $1 and b.job_id = $2 and b.seq = $3`,
    [tx.tenantId, jobId, seq],
  );
}

/** True if a missing batch was applied, or its job has ended. The job counts its batches when it writes them. */
export async function isBatchGone(tx: Transaction, jobId: string, seq: number): Promise<boolean> {
  return tx.any(
    `select from sync_jobs
      where tenant_id = $1 and id = $2 and (batches_written > $3 or status not in ('queued', 'running'))`,
    [tx.tenantId, jobId, seq],
  );
}

/** Reads all of a tenant's connectors, including deleted ones, whose records still count. A few dozen rows. */
export async function findConnectors(
  tx: Transaction,
): Promise<(Omit<ConnectorInfo, 'employments'> & { mapped: string[] })[]> {
  return tx.query(
    `select id, type, priority, records,
            array(select jsonb_object_keys(case jsonb_typeof(config -> 'fields') when 'object' then config -> 'fields' else '{}' end)) as mapped
       from connectors where tenant_id = $1`,
    [tx.tenantId],
  );
}

/** Stores what ranks a connector: its priority, and its mapping, beside which other settings may have changed since. */
export async function saveConnectorRank(
  tx: Transaction,
  { id, priority, fields }: { id: string; priority?: number | undefined; fields?: object | undefined },
): Promise<void> {
  await tx.query(
    `update connectors
        set priority = coalesce($3, priority), updated_at = now(),
            config = case when $4::jsonb is null then config else jsonb_set(config, '{fields}', $4) end,
            config_version = config_version + ($4::jsonb is not null)::integer
      where tenant_id = $1 and id = $2 and deleted_at is null`,
    [tx.tenantId, id, priority ?? null, fields === undefined ? null : JSON.stringify(fields)],
  );
}

/** Returns the ids of the given jobs that have not ended. Ignores other ids, such as those of operations. */
export async function findUnfinishedJobs(tx: Transaction, ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const found = await tx.ids(
    `select j.id from unnest($2::uuid[]) as n (id)
      cross join lateral (select id, status from sync_jobs where tenant_id = $1 and id = n.id limit 1) as j
      where j.status in ('queued', 'running', 'quarantined')`,
    [tx.tenantId, uuids(ids)],
  );
  return new Set(found);
}

export async function findSafeguard(tx: Transaction, connectorId: string): Promise<Safeguard> {
  const row = await tx.row<{ safeguard: unknown }>(
    'select safeguard from connectors where tenant_id = $1 and id = $2',
    [tx.tenantId, connectorId],
  );
  // Missing settings of a connector get the defaults.
  return safeguard.parse(row?.safeguard ?? {});
}

/**
 * Returns the safeguard of a connector of people that has completely read its source before, or has got the records of a
 * deleted one; undefined during the first import, which has nothing to compare with, and for pushed people, who are added
 * one by one.
 */
export async function findGuardOfPeople(
  tx: Transaction,
  { connectorId, kind }: { connectorId: string; kind: RecordKind },
): Promise<Safeguard | undefined> {
  if (kind !== 'user') return undefined;
  const [row] = await tx.query<{ safeguard: unknown }>(
    `select c.safeguard from connectors c
      where c.tenant_id = $1 and c.id = $2 and c.type <> 'scim-push'
        and (exists (select from connector_states s
                      where s.tenant_id = $1 and s.connector_id = c.id and s.complete_as_of is not null)
          or exists (select from operations o where o.tenant_id = $1 and o.type = 'connector.hand_over'
                        and o.status in ('done', 'running', 'cancelled') and o.input ->> 'to_id' = c.id::text))`,
    [tx.tenantId, connectorId],
  );
  return row && safeguard.parse(row.safeguard ?? {});
}

export interface JobState {
  id: string;
  status: JobStatus;
  connectorId: string;
  kind: RecordKind;
  dryRun: boolean;
  /** True if the job deletes all records of a deleted connector. */
  retires: boolean;
  mode: JobMode;
  /** True if an operator released the changes that its safeguard quarantined. */
  released: boolean;
  batchesTotal: number | null;
  recordsRead: number;
  recordsApplied: number;
  recordsFailed: number;
  /** Records among those read that an incremental run only retried, because they had failed before. */
  recordsRetried: number;
}

export async function findJobState(tx: Transaction, jobId: string): Promise<JobState | undefined> {
  return tx.row<JobState>(
    `select j.id, j.status, j.connector_id as "connectorId", c.records as kind, j.dry_run as "dryRun", j.retires, j.mode,
            coalesce(j.decision ->> 'action' = 'released', false) as released, j.batches_total as "batchesTotal",
            j.records_read as "recordsRead", j.records_applied as "recordsApplied", j.records_failed as "recordsFailed",
            j.records_retried as "recordsRetried"
       from sync_jobs j join connectors c on c.tenant_id = $1 and c.id = j.connector_id
      where j.tenant_id = $1 and j.id = $2`,
    [tx.tenantId, jobId],
  );
}

/**
 * Finds records that a record job has read since this job began, because it is unknown which of the two read the record
 * later. Call it when the records are locked, so that changes of the other job are visible. A record job counts from
 * the moment it is applied.
 */
export async function findOvertaken(
  tx: Transaction,
  jobId: string,
  externalIds?: readonly string[],
): Promise<string[]> {
  return tx.ids(
    `select distinct o.external_id as id
       from sync_jobs f join sync_jobs o on o.tenant_id = $1 and o.connector_id = f.connector_id and o.id <> f.id
      where f.tenant_id = $1 and f.id = $2 and not f.dry_run and o.mode = 'record' and o.last_record_at > f.started_at
        and ($3::text[] is null or o.external_id = any($3))
        and exists (select from seen_records s where s.tenant_id = $1 and s.job_id = o.id)`,
    [tx.tenantId, jobId, externalIds ? texts(externalIds) : null],
  );
}

/** True while a job of the connector, other than one of a single record, is running or quarantined. */
export async function isConnectorBusy(tx: Transaction, connectorId: string): Promise<boolean> {
  return tx.any(
    `select from sync_jobs
      where tenant_id = $1 and connector_id = $2 and status in ('running', 'quarantined') and mode <> 'record' limit 1`,
    [tx.tenantId, connectorId],
  );
}

/**
 * True if a job of the connector of this dry run, other than a dry run, began after an operation was requested. One of a
 * single record counts from the moment it is applied, and only if the plan still has to change this record.
 */
export async function hasRunSince(
  tx: Transaction,
  { id, connectorId }: Pick<JobState, 'id' | 'connectorId'>,
  operationId: string,
): Promise<boolean> {
  return tx.any(
    `select from sync_jobs j
       cross join (select created_at from operations where tenant_id = $1 and id = $4) as o
      where j.tenant_id = $1 and j.connector_id = $2 and j.id > $3 and not j.dry_run
        and case when j.mode = 'record'
                 then j.last_record_at > o.created_at
                      and exists (select from sync_plan_entries e
                                   where e.tenant_id = $1 and e.job_id = $3 and not e.done
                                     and j.external_id in (e.external_id, e.moved_from))
                 else j.started_at > o.created_at end limit 1`,
    [tx.tenantId, connectorId, id, operationId],
  );
}

/** State of a batch that stopped a process, or may have. Records are identified by their position in the batch. */
export type BatchState = Pick<BatchBegunEntity, 'processId' | 'first' | 'beyond' | 'stops' | 'cuts' | 'leftOut'>;

/** Finds the state that earlier processes stored for a batch; undefined if there is none. */
export function findBatchState(tx: Transaction, jobId: string, seq: number): Promise<BatchState | undefined> {
  return findRow(tx, BatchBegunEntity, { where: { tenantId: tx.tenantId, jobId, seq } });
}

export async function saveBatchState(
  tx: Transaction,
  { jobId, seq }: { jobId: string; seq: number },
  { processId, first, beyond, stops, cuts, leftOut }: BatchState,
): Promise<void> {
  const note = { jobId, seq, tenantId: tx.tenantId, processId, first, beyond, stops, cuts, leftOut };
  await tx.manager.upsert(BatchBegunEntity, note, ['tenantId', 'jobId', 'seq']);
}

/** Deletes the state of an applied batch. */
export async function deleteBatchState(tx: Transaction, jobId: string, seq: number): Promise<void> {
  await tx.manager.delete(BatchBegunEntity, { tenantId: tx.tenantId, jobId, seq });
}

/**
 * Takes a lock on applying this batch part by part until the end of the transaction. Returns false if another process
 * has it.
 */
export async function tryLockBatch(tx: Transaction, jobId: string, seq: number): Promise<boolean> {
  const [row] = await tx.query<{ held: boolean }>('select pg_try_advisory_xact_lock(hashtextextended($1, 0)) as held', [
    `batch ${jobId} ${seq}`,
  ]);
  return row?.held ?? false;
}
