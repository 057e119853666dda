// SQL by hand: computed columns.
import type { JobStatus, RecordKind } from '@idsync/contracts';
import type { Transaction } from '../../database.js';
import { FailingRecordEntity, SyncRecordErrorEntity } from '../../entities/record-errors.entities.js';
import type { SyncJobEntity } from '../../entities/sync.entities.js';
import { selectList } from '../../naming-strategy.js';
import { useIndexScans } from '../../transaction-settings.js';
import { type BoundedTotal, countUpToMaximum, findPage, type Page, type Rows } from '../page.js';

const shown = [
  'id',
  'connectorId',
  'status',
  'progressPct',
  'createdAt',
  'startedAt',
  'completedAt',
  'errorMessage',
  'errorCode',
  'sourceMessage',
  'batchesProcessed',
  'batchesTotal',
  'recordsRead',
  'recordsApplied',

  'recordsFailed',
  'recordsSuppressed',
  'fieldsLeftOut',
  'recordsDeleted',
  'dryRun',
  'retires',
  'mode',
  'scheduledFor',
  'lastRecordAt',
  'note',
  'whyFull',
  'externalId',
  'outcome',
  'decision',
] as const satisfies readonly (keyof SyncJobEntity)[];

export interface JobRow extends Pick<SyncJobEntity, (typeof shown)[number]> {
  /** True if a worker has been waiting for its source for minutes. */
  stalled: boolean;
  /** The job of the same connector that a queued or released job waits for. */
  waitsFor: { id: string; status: JobStatus } | null;
  /** The stored record that a record job reads. */
  record: { id: string; kind: RecordKind; identityId: string | null } | null;
}

// Lookups in small indexes, because a connector may have thousands of queued jobs.
const waitsFor = `
  case when mode <> 'record' and (status = 'queued' or (status = 'quarantined' and decision ->> 'action' = 'released')) then coalesce(
    (select jsonb_build_object('id', b.id, 'status', b.status) from sync_jobs b
      where b.tenant_id = $1 and b.connector_id = sync_jobs.connector_id and b.status = 'running'
        and b.mode <> 'record' limit 1),
    (select jsonb_build_object('id', b.id, 'status', b.status) from sync_jobs b
      where b.tenant_id = $1 and b.connector_id = sync_jobs.connector_id and b.status = 'quarantined'
        and b.mode <> 'record' and b.decision ->> 'action' = 'released' and b.id <> sync_jobs.id limit 1),
    (select jsonb_build_object('id', b.id, 'status', b.status) from sync_jobs b
      where b.tenant_id = $1 and b.connector_id = sync_jobs.connector_id and b.status = 'queued'
        and b.mode <> 'record' and b.id < sync_jobs.id order by b.id limit 1)) end as "waitsFor"`;

const columns = `${selectList(shown)},${waitsFor},
  coalesce(status = 'running' and batches_total is null and batches_processed >= batches_written and lease_until > now()
    and coalesce(last_record_at, started_at) < now() - interval '5 minutes', false) as stalled,
  case when mode = 'record' then (
    select jsonb_build_object('id', r.id, 'kind', r.kind, 'identityId', r.identity_id) from source_records r
     where r.tenant_id = $1 and r.connector_id = sync_jobs.connector_id
       and r.external_id = sync_jobs.external_id limit 1) end as record`;

export async function findJob(tx: Transaction, id: string): Promise<JobRow | undefined> {
  return tx.row<JobRow>(`select ${columns} from sync_jobs where tenant_id = $1 and id = $2`, [tx.tenantId, id]);
}

/** Returns the first hundred; the job has their total number. */
export function findJobErrors(tx: Transaction, jobId: string): Promise<SyncRecordErrorEntity[]> {
  return tx.manager.find(SyncRecordErrorEntity, {
    where: { tenantId: tx.tenantId, jobId },
    order: { id: 'ASC' },
    take: 100,
  });
}

/** Lists jobs, newest first. Pushes make a job each, and jobs are kept for 30 days. */
export async function listJobs(
  tx: Transaction,
  { limit, offset, connectorId, status }: Page & { connectorId?: string; status?: string },
): Promise<{ rows: JobRow[] } & BoundedTotal> {
  await useIndexScans(tx);
  const values: unknown[] = [tx.tenantId];
  const conditions = ['tenant_id = $1'];
  if (connectorId !== undefined) conditions.push(`connector_id = $${values.push(connectorId)}`);
  if (status !== undefined) conditions.push(`status = $${values.push(status)}`);
  const found = `from sync_jobs where ${conditions.join(' and ')} order by id desc`;
  const page = `limit $${values.length + 1} offset $${values.length + 2}`;
  const rows = await tx.query<JobRow>(`select ${columns} ${found} ${page}`, [...values, limit, offset]);
  return { rows, ...(await countUpToMaximum(tx, found, values)) };
}

export type FailingRecordRow = FailingRecordEntity;

/**
 * Lists records of a connector that failed when they were last read, in the order of their first failure. At most a few
 * thousand.
 */
export function listFailingRecords(tx: Transaction, connectorId: string, page: Page): Promise<Rows<FailingRecordRow>> {
  return findPage(tx, FailingRecordEntity, page, {
    where: { tenantId: tx.tenantId, connectorId },
    order: { id: 'ASC' },
  });
}
