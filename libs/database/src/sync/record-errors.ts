import { newUuid } from '@idsync/contracts';
import type { Transaction } from '../database.js';
import type { SyncJob } from './jobs.js';

/** A record that was left out. Its source knows the line, the directory only the external id. */
export interface LeftOutRecord {
  line?: number;
  external_id?: string;
  message: string;
  hides_others?: true;
}

/** Errors kept with a job; all of them are counted. */
const kept = 1_000;

/** Keeps the errors of a locked job, the first thousand of them. */
export async function keepRecordErrors(tx: Transaction, job: SyncJob, errors: readonly LeftOutRecord[]): Promise<void> {
  const first = errors.slice(0, Math.max(0, kept - job.recordsFailed));
  if (first.length === 0) return;
  await tx.query(
    `insert into sync_record_errors (id, job_id, tenant_id, line, external_id, message, hides_others)
     select error.id, $1, $2, error.line, error.external_id, error.message, error.hides_others
       from unnest($3::uuid[], $4::bigint[], $5::text[], $6::text[], $7::boolean[])
            as error (id, line, external_id, message, hides_others)`,
    [
      job.id,
      job.tenantId,
      first.map(() => newUuid()),
      first.map(({ line }) => line ?? null),
      first.map(({ external_id }) => (external_id === undefined ? null : plainText(external_id, 1_024))),
      first.map(({ message }) => plainText(message)),
      first.map(({ hides_others }) => hides_others ?? false),
    ],
  );
}

export async function findFirstRecordError(
  tx: Transaction,
  jobId: string,
): Promise<{ line: number | null; externalId: string | null; message: string } | undefined> {
  const [error] = await tx.query<{ line: number | null; externalId: string | null; message: string }>(
    `select line, external_id as "externalId", message from sync_record_errors where job_id = $1 order by id limit 1`,
    [jobId],
  );
  return error;
}

/** Sources hold anything, and PostgreSQL's text holds no NUL. */
export function plainText(text: string, longest = 1_000): string {
  return text.replaceAll('\0', '').slice(0, longest);
}
