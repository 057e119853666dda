import { newUuid, type SourceRecord } from '@idsync/contracts';
import type { Transaction } from '../database.js';
import type { SyncJob } from './jobs.js';
import { type LeftOutRecord, plainText } from './record-errors.js';

/** Failing records that are kept of a connector, about; a job has counted them all. */
const kept = 1_000;

/** Notes that records failed in a locked job that was no rehearsal; who failed before keeps the time it began. */
export async function noteFailing(tx: Transaction, job: SyncJob, errors: readonly LeftOutRecord[]): Promise<void> {
  if (job.dryRun || errors.length === 0) return;
  const last = new Map(errors.map((error) => [error.external_id ?? error.line, error]));
  const failed = [...last.values()].slice(0, kept);
  const values = [
    job.connectorId,
    job.tenantId,
    job.id,
    failed.map(() => newUuid()),
    failed.map(({ external_id }) => (external_id === undefined ? null : plainText(external_id, 1_024))),
    failed.map(({ line }) => line ?? null),
    failed.map(({ message }) => plainText(message)),
  ];
  for (const [own, key] of [
    ['external_id is not null', '(connector_id, external_id) where external_id is not null'],
    ['external_id is null', '(connector_id, line) where external_id is null'],
  ]) {
    await tx.query(
      `insert into failing_records as f (id, connector_id, tenant_id, job_id, external_id, line, message)
       select e.id, $1, $2, $3, e.external_id, e.line, e.message
         from unnest($4::uuid[], $5::text[], $6::bigint[], $7::text[]) as e (id, external_id, line, message)
        where e.${own} and (select count(*) from failing_records where connector_id = $1) < ${kept}
       on conflict ${key} do update
          set job_id = excluded.job_id, line = excluded.line, message = excluded.message, last_failed_at = now()`,
      values,
    );
  }
}

/** The directory has applied a batch of a locked job, but for `failed`: who failed before and is in it fails no more. */
export async function forgetMended(
  tx: Transaction,
  job: SyncJob,
  seq: number,
  failed: readonly LeftOutRecord[],
): Promise<void> {
  if (job.dryRun) return;
  const failing = await tx.query<{ externalId: string }>(
    `select external_id as "externalId" from failing_records
      where connector_id = $1 and tenant_id = $2 and external_id is not null limit ${2 * kept}`,
    [job.connectorId, job.tenantId],
  );
  if (failing.length === 0) return;
  const [batch] = await tx.query<{ records: string }>(
    'select records from sync_batches where job_id = $1 and seq = $2',
    [job.id, seq],
  );
  const applied = new Set((JSON.parse(batch?.records ?? '[]') as SourceRecord[]).map((record) => record.external_id));
  for (const { external_id } of failed) if (external_id !== undefined) applied.delete(external_id);
  const mended = failing.map(({ externalId }) => externalId).filter((id) => applied.has(id));
  if (mended.length === 0) return;
  await tx.query('delete from failing_records where connector_id = $1 and tenant_id = $2 and external_id = any($3)', [
    job.connectorId,
    job.tenantId,
    mended,
  ]);
}

/** A locked job has read everything: what has not failed since it began fails no more, or is gone. */
export async function forgetOtherFailing(tx: Transaction, job: SyncJob): Promise<void> {
  // A record that was read alone meanwhile may have failed in a job of its own.
  await tx.query(
    `delete from failing_records where connector_id = $1 and tenant_id = $2 and job_id <> $3
        and last_failed_at < (select started_at from sync_jobs where id = $3)`,
    [job.connectorId, job.tenantId, job.id],
  );
}
