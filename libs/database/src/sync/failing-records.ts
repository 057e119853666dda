// SQL by hand: upserts in bulk.
import { newUuid, type RecordError, type SourceRecord } from '@idsync/contracts';
import { arraysOf, bigints, booleans, texts, uuids } from '../arrays.js';
import type { Transaction } from '../database.js';
import { SyncRecordErrorEntity } from '../entities/record-errors.entities.js';
import { findRow } from '../rows.js';
import type { SyncJob } from './jobs.js';

/** Approximate number of failing records stored for a connector; jobs count all of them. */
const maxFailingRecords = 1_000;

/**
 * Stores records that failed in a locked job, except dry runs. Records that failed before keep their first failure
 * time. The directory knows neither lines nor source values, so a record that it leaves out keeps those that the same job
 * has read.
 */
export async function saveFailingRecords(tx: Transaction, job: SyncJob, errors: readonly RecordError[]): Promise<void> {
  if (job.dryRun || errors.length === 0) return;
  const last = new Map(errors.map((error) => [error.external_id ?? error.line, error]));
  const failed = [...last.values()].slice(0, maxFailingRecords);
  const values = [job.connectorId, job.tenantId, job.id, ...columnsOf(failed)];
  for (const [own, key] of [
    ['external_id is not null', '(tenant_id, connector_id, external_id) where external_id is not null'],
    ['external_id is null', '(tenant_id, connector_id, line) where external_id is null'],
  ]) {
    await tx.query(
      `insert into failing_records as f (id, connector_id, tenant_id, job_id, external_id, line, message, source_message,
                                         field, last_failed_at)
       select e.id, $1, $2, $3, e.external_id, e.line, e.message, e.source_message, e.field, now()
         from unnest($4::uuid[], $5::bigint[], $6::text[], $7::text[], $8::text[], $9::text[])
              as e (id, line, external_id, message, source_message, field)
        where e.${own} and ${maxFailingRecords} > (
          select count(*) from failing_records where tenant_id = $2 and connector_id = $1)
       on conflict ${key} do update
          set job_id = excluded.job_id, message = excluded.message,
              line = coalesce(excluded.line, case when f.job_id = excluded.job_id then f.line end),
              source_message = coalesce(excluded.source_message, case
                when f.job_id = excluded.job_id and starts_with(excluded.message, f.field || ' ') then f.source_message end),
              field = excluded.field, last_failed_at = excluded.last_failed_at`,
      values,
    );
  }
}

/**
 * Takes the failing record that has waited longest for a retry, and delays its next one: by 15 minutes, then twice as
 * long each time, up to a day. Returns undefined if none is due.
 */
export async function takeRetry(tx: Transaction, connectorId: string): Promise<string | undefined> {
  const [row] = await tx.query<{ externalId: string }>(
    `update failing_records
        set retries = retries + 1, retry_at = (now() at time zone 'UTC' + least(interval '1 day', interval '15 minutes' * 2 ^ least(retries, 10))) at time zone 'UTC'
      where tenant_id = $1 and connector_id = $2 and id = (
        select id from failing_records
         where tenant_id = $1 and connector_id = $2 and external_id is not null
           and coalesce(retry_at, '-infinity') <= now() order by retry_at nulls first, id limit 1)
      returning external_id as "externalId"`,
    [tx.tenantId, connectorId],
  );
  return row?.externalId;
}

/** Adds to the records that a locked job read only to retry them. */
export async function addRetried(tx: Transaction, jobId: string, count: number): Promise<void> {
  await tx.query('update sync_jobs set records_retried = records_retried + $3 where tenant_id = $1 and id = $2', [
    tx.tenantId,
    jobId,
    count,
  ]);
}

/** Deletes failing records that were in an applied batch, except those in `failed`. */
export async function deleteRecoveredRecords(
  tx: Transaction,
  job: SyncJob,
  seq: number,
  failed: readonly RecordError[],
): Promise<void> {
  if (job.dryRun) return;
  const failing = await tx.query<{ externalId: string }>(
    `select external_id as "externalId" from failing_records
      where connector_id = $1 and tenant_id = $2 and external_id is not null limit ${2 * maxFailingRecords}`,
    [job.connectorId, job.tenantId],
  );
  if (failing.length === 0) return;
  const [batch] = await tx.query<{ records: string }>(
    'select records from sync_batches where tenant_id = $1 and job_id = $2 and seq = $3',
    [job.tenantId, job.id, seq],
  );
  const records = JSON.parse(batch?.records ?? '[]') as SourceRecord[];
  const applied = new Set(records.filter(({ kept }) => !kept).map((record) => record.external_id));
  for (const { external_id } of failed) if (external_id !== undefined) applied.delete(external_id);
  const recovered = failing.map(({ externalId }) => externalId).filter((id) => applied.has(id));
  if (recovered.length === 0) return;
  await tx.query('delete from failing_records where connector_id = $1 and tenant_id = $2 and external_id = any($3)', [
    job.connectorId,
    job.tenantId,
    recovered,
  ]);
}

/** Deletes failing records that have not failed since a completed full run began. */
export async function deleteStaleFailingRecords(tx: Transaction, job: SyncJob): Promise<void> {
  // A record job may have failed in the meantime.
  await tx.query(
    `delete from failing_records where connector_id = $1 and tenant_id = $2 and job_id <> $3
        and last_failed_at < (select started_at from sync_jobs where tenant_id = $2 and id = $3)`,
    [job.connectorId, job.tenantId, job.id],
  );
}

/** Maximum number of records and of fields whose errors are stored per job; all of them are counted. */
const maxErrors = 1_000;

/** Stores the errors of a locked job, up to the first thousand of records and of fields. */
export async function saveRecordErrors(tx: Transaction, job: SyncJob, errors: readonly RecordError[]): Promise<void> {
  const ofRecords = errors.filter(({ field }) => field === undefined);
  const ofFields = errors.filter(({ field }) => field !== undefined);
  const first = [
    ...ofRecords.slice(0, Math.max(0, maxErrors - job.recordsFailed)),
    ...ofFields.slice(0, Math.max(0, maxErrors - job.fieldsLeftOut)),
  ];
  if (first.length === 0) return;
  await tx.query(
    `insert into sync_record_errors (id, job_id, tenant_id, line, external_id, message, hides_others, source_message,
                                      field)
     select error.id, $1, $2, error.line, error.external_id, error.message, error.hides_others, error.source_message,
            error.field
       from unnest($3::uuid[], $4::bigint[], $5::text[], $6::text[], $7::text[], $8::text[], $9::boolean[])
            as error (id, line, external_id, message, source_message, field, hides_others)
     returning 1`,
    [job.id, job.tenantId, ...columnsOf(first), booleans(first.map(({ hides_others }) => hides_others ?? false))],
  );
}

export function findFirstRecordError(tx: Transaction, jobId: string): Promise<SyncRecordErrorEntity | undefined> {
  return findRow(tx, SyncRecordErrorEntity, { where: { tenantId: tx.tenantId, jobId }, order: { id: 'ASC' } });
}

/** Encodes the columns of both tables: id, line, external id, message, source message and field. */
function columnsOf(errors: readonly RecordError[]): Buffer[] {
  const rows = errors.map(({ line, external_id, message, said, field }) => ({
    id: newUuid(),
    line,
    externalId: external_id && plainText(external_id, 1_024),
    message: plainText(message),
    said: said && plainText(said),
    field,
  }));
  return arraysOf(rows, { id: uuids, line: bigints, externalId: texts, message: texts, said: texts, field: texts });
}

/** Removes NUL characters, which PostgreSQL cannot store, and truncates the text. */
function plainText(text: string, longest = 1_000): string {
  return text.replaceAll('\0', '').slice(0, longest);
}
