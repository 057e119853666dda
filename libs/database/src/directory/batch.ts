import {
  type ConnectorType,
  type JobStatus,
  type RecordKind,
  type Safeguard,
  type SyncMode,
  safeguard,
} from '@idsync/contracts';
import type { Transaction } from '../database.js';

export interface ReadyBatch {
  connectorId: string;
  /** JSON array of SourceRecord. */
  records: string;
  jobStatus: JobStatus;
  kind: RecordKind;
  dryRun: boolean;
  mode: SyncMode;
}

export interface ConnectorFacts {
  id: string;
  type: ConnectorType;
  priority: number;
  records: RecordKind;
}

/** From here to the end of the transaction the job cannot be cancelled. */
export async function keepFromCancelling(tx: Transaction, jobId: string): Promise<void> {
  await tx.query('select pg_advisory_xact_lock_shared(hashtextextended($1, 0))', [`batches ${jobId}`]);
}

/** A batch to be applied. Its job cannot be cancelled before the end of the transaction. */
export async function findBatch(tx: Transaction, jobId: string, seq: number): Promise<ReadyBatch | undefined> {
  await keepFromCancelling(tx, jobId);
  const [batch] = await tx.query<ReadyBatch>(
    `select b.connector_id as "connectorId", b.records, j.status as "jobStatus", c.records as kind,
            j.dry_run as "dryRun", j.mode
       from sync_batches b
       join sync_jobs j on j.id = b.job_id
       join connectors c on c.id = b.connector_id
      where b.job_id = $1 and b.seq = $2`,
    [jobId, seq],
  );
  return batch;
}

/** All of a tenant's connectors, deleted ones included: their records still speak. A few dozen rows. */
export async function findConnectors(tx: Transaction, tenantId: string): Promise<ConnectorFacts[]> {
  return tx.query<ConnectorFacts>('select id, type, priority, records from connectors where tenant_id = $1', [
    tenantId,
  ]);
}

/** Those of these jobs that have not ended. Other ids, such as those of an operator's acts, are left out. */
export async function findUnfinishedJobs(tx: Transaction, ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const rows = await tx.query<{ id: string }>(
    `select id from sync_jobs where id = any($1) and status in ('queued', 'running', 'quarantined')`,
    [ids],
  );
  return new Set(rows.map((row) => row.id));
}

export async function findSafeguard(tx: Transaction, connectorId: string): Promise<Safeguard> {
  const [row] = await tx.query<{ safeguard: unknown }>('select safeguard from connectors where id = $1', [connectorId]);
  // What a connector leaves open is the default.
  return safeguard.parse(row?.safeguard ?? {});
}

export interface JobState {
  id: string;
  status: JobStatus;
  connectorId: string;
  kind: RecordKind;
  dryRun: boolean;
  mode: SyncMode;
  /** True if an operator let it do what its safeguard held back. */
  released: boolean;
  batchesTotal: number | null;
  recordsRead: number;
  recordsApplied: number;
  recordsFailed: number;
}

export async function findJobState(tx: Transaction, jobId: string): Promise<JobState | undefined> {
  const [job] = await tx.query<JobState>(
    `select j.id, j.status, j.connector_id as "connectorId", c.records as kind, j.dry_run as "dryRun", j.mode,
            coalesce(j.decision ->> 'action' = 'released', false) as released, j.batches_total as "batchesTotal",
            j.records_read as "recordsRead", j.records_applied as "recordsApplied", j.records_failed as "recordsFailed"
       from sync_jobs j join connectors c on c.id = j.connector_id where j.id = $1`,
    [jobId],
  );
  return job;
}

/** True while a job of the connector runs or waits for an operator. */
export async function isConnectorBusy(tx: Transaction, connectorId: string): Promise<boolean> {
  const rows = await tx.query(
    `select from sync_jobs where connector_id = $1 and status in ('running', 'quarantined') limit 1`,
    [connectorId],
  );
  return rows.length > 0;
}
