// SQL by hand: upserts in bulk.
import { newUuid, type SourceRecord } from '@idsync/contracts';
import type { Transaction } from '../database.js';
import type { SyncJob } from './jobs.js';
import { type LeftOutRecord, plainText } from './record-errors.js';

/** Approximate number of failing records stored for a connector; jobs count all of them. */
const maxFailingRecords = 1_000;

/**
 * Stores records that failed in a locked job, except dry runs. Records that failed before keep their first failure
 * time. The directory knows neither lines nor source values, so a record that it leaves out keeps those that the same job
 * has read.
 */
export async function saveFailingRecords(
  tx: Transaction,
  job: SyncJob,
  errors: readonly LeftOutRecord[],
): Promise<void> {
  if (job.dryRun || errors.length === 0) return;
  const last = new Map(errors.map((error) => [error.external_id ?? error.line, error]));
  const failed = [...last.values()].slice(0, maxFailingRecords);
  const values = [
    job.connectorId,
    job.tenantId,
    job.id,
    failed.map(() => newUuid()),
    failed.map(({ external_id }) => (external_id === undefined ? null : plainText(external_id, 1_024))),
    failed.map(({ line }) => line ?? null),
    failed.map(({ message }) => plainText(message)),
    failed.map(({ said }) => (said === undefined ? null : plainText(said))),
    failed.map(({ field }) => field ?? null),
  ];
  for (const [own, key] of [
    ['external_id is not null', '(connector_id, external_id) where external_id is not null'],
    ['external_id is null', '(connector_id, line) where external_id is null'],
  ]) {
    await tx.query(
      `insert into failing_records as f (id, connector_id, tenant_id, job_id, external_id, line, message, source_message,
                                         field)
       select e.id, $1, $2, $3, e.external_id, e.line, e.message, e.source_message, e.field
         from unnest($4::uuid[], $5::text[], $6::bigint[], $7::text[], $8::text[], $9::text[])
              as e (id, external_id, line, message, source_message, field)
        where e.${own} and (select count(*) from failing_records where connector_id = $1) < ${maxFailingRecords}
       on conflict ${key} do update
          set job_id = excluded.job_id, message = excluded.message,
              line = coalesce(excluded.line, case when f.job_id = excluded.job_id then f.line end),
              source_message = coalesce(excluded.source_message, case
                when f.job_id = excluded.job_id and starts_with(excluded.message, f.field || ' ') then f.source_message end),
              field = excluded.field, last_failed_at = now()`,
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
        set retries = retries + 1, retry_at = now() + least(interval '1 day', interval '15 minutes' * 2 ^ least(retries, 10))
      where id = (select id from failing_records
                   where connector_id = $1 and external_id is not null and coalesce(retry_at, '-infinity') <= now()
                   order by retry_at nulls first, id limit 1)
      returning external_id as "externalId"`,
    [connectorId],
  );
  return row?.externalId;
}

/** Adds to the records that a locked job read only to retry them. */
export async function addRetried(tx: Transaction, jobId: string, count: number): Promise<void> {
  await tx.query('update sync_jobs set records_retried = records_retried + $2 where id = $1', [jobId, count]);
}

/** Deletes failing records that were in an applied batch, except those in `failed`. */
export async function deleteRecoveredRecords(
  tx: Transaction,
  job: SyncJob,
  seq: number,
  failed: readonly LeftOutRecord[],
): Promise<void> {
  if (job.dryRun) return;
  const failing = await tx.query<{ externalId: string }>(
    `select external_id as "externalId" from failing_records
      where connector_id = $1 and tenant_id = $2 and external_id is not null limit ${2 * maxFailingRecords}`,
    [job.connectorId, job.tenantId],
  );
  if (failing.length === 0) return;
  const [batch] = await tx.query<{ records: string }>(
    'select records from sync_batches where job_id = $1 and seq = $2',
    [job.id, seq],
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
        and last_failed_at < (select started_at from sync_jobs where id = $3)`,
    [job.connectorId, job.tenantId, job.id],
  );
}
