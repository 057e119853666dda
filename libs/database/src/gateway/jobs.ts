import type { JobMode, JobStatus, RecordKind, RecordOutcome } from '@idsync/contracts';
import type { Transaction } from '../database.js';
import { count, type Page, type Rows } from './page.js';

export interface JobRow {
  id: string;
  connectorId: string;
  status: JobStatus;
  progressPct: number;
  createdAt: Date;
  startedAt: Date | null;
  completedAt: Date | null;
  errorMessage: string | null;
  batchesProcessed: number;
  batchesTotal: number | null;
  recordsRead: number;
  recordsApplied: number;
  recordsFailed: number;
  recordsDeleted: number;
  dryRun: boolean;
  mode: JobMode;
  scheduledFor: Date | null;
  /** When its source last gave a page. */
  lastRecordAt: Date | null;
  /** True if a worker waits for its source alone, and has for minutes. */
  stalled: boolean;
  note: string | null;
  whyFull: string | null;
  /** The record it reads, where that is one alone, what came of it, and what the directory has of it. */
  externalId: string | null;
  outcome: RecordOutcome | null;
  record: { id: string; kind: RecordKind; identityId: string | null } | null;
  decision: { action: string; reason?: string; by?: string; at: string } | null;
}

export interface JobError {
  line: number | null;
  externalId: string | null;
  message: string;
}

const columns = `id, connector_id as "connectorId", status, progress_pct as "progressPct", created_at as "createdAt",
  started_at as "startedAt", completed_at as "completedAt", error_message as "errorMessage",
  batches_processed as "batchesProcessed", batches_total as "batchesTotal", records_read as "recordsRead",
  records_applied as "recordsApplied", records_failed as "recordsFailed",
  records_deleted as "recordsDeleted", dry_run as "dryRun", mode, scheduled_for as "scheduledFor",
  last_record_at as "lastRecordAt",
  coalesce(status = 'running' and batches_total is null and batches_processed >= batches_written and lease_until > now()
    and coalesce(last_record_at, started_at) < now() - interval '5 minutes', false) as stalled, note, why_full as "whyFull", decision,
  external_id as "externalId", outcome, case when mode = 'record' then (
    select jsonb_build_object('id', r.id, 'kind', r.kind, 'identityId', r.identity_id) from source_records r
     where r.connector_id = sync_jobs.connector_id and r.external_id = sync_jobs.external_id limit 1) end as record`;

export async function findJob(tx: Transaction, tenantId: string, id: string): Promise<JobRow | undefined> {
  const [row] = await tx.query<JobRow>(`select ${columns} from sync_jobs where tenant_id = $1 and id = $2`, [
    tenantId,
    id,
  ]);
  return row;
}

/** The first hundred; the job itself has their number. */
export async function findJobErrors(tx: Transaction, jobId: string): Promise<JobError[]> {
  return tx.query<JobError>(
    `select line, external_id as "externalId", message from sync_record_errors where job_id = $1 order by id limit 100`,
    [jobId],
  );
}

/** Newest first. */
export async function listJobs(
  tx: Transaction,
  tenantId: string,
  page: Page & { connectorId?: string; status?: string },
): Promise<Rows<JobRow>> {
  const where = `tenant_id = $1 and ($2::uuid is null or connector_id = $2) and ($3::text is null or status = $3)`;
  const filter = [tenantId, page.connectorId ?? null, page.status ?? null];
  const rows = await tx.query<JobRow>(
    `select ${columns} from sync_jobs where ${where} order by id desc limit $4 offset $5`,
    [...filter, page.limit, page.offset],
  );
  return { rows, total: await count(tx, `select count(*) from sync_jobs where ${where}`, filter) };
}
