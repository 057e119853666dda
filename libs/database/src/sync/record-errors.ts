// SQL by hand: inserts in bulk.
import { newUuid } from '@idsync/contracts';
import type { Transaction } from '../database.js';
import { SyncRecordErrorEntity } from '../entities/sync.entities.js';
import { findRow } from '../rows.js';
import type { SyncJob } from './jobs.js';

/** A record that was left out. Its source knows the line, the directory only the external id. */
export interface LeftOutRecord {
  line?: number;
  external_id?: string;
  message: string;
  /** Redacted source value or text that caused the error. */
  said?: string;
  hides_others?: true;
}

/** Maximum number of errors stored per job; all of them are counted. */
const maxErrors = 1_000;

/** Stores the errors of a locked job, up to the first thousand. */
export async function saveRecordErrors(tx: Transaction, job: SyncJob, errors: readonly LeftOutRecord[]): Promise<void> {
  const first = errors.slice(0, Math.max(0, maxErrors - job.recordsFailed));
  if (first.length === 0) return;
  await tx.query(
    `insert into sync_record_errors (id, job_id, tenant_id, line, external_id, message, hides_others, source_message)
     select error.id, $1, $2, error.line, error.external_id, error.message, error.hides_others, error.source_message
       from unnest($3::uuid[], $4::bigint[], $5::text[], $6::text[], $7::boolean[], $8::text[])
            as error (id, line, external_id, message, hides_others, source_message)`,
    [
      job.id,
      job.tenantId,
      first.map(() => newUuid()),
      first.map(({ line }) => line ?? null),
      first.map(({ external_id }) => (external_id === undefined ? null : plainText(external_id, 1_024))),
      first.map(({ message }) => plainText(message)),
      first.map(({ hides_others }) => hides_others ?? false),
      first.map(({ said }) => (said === undefined ? null : plainText(said))),
    ],
  );
}

export function findFirstRecordError(tx: Transaction, jobId: string): Promise<SyncRecordErrorEntity | undefined> {
  return findRow(tx, SyncRecordErrorEntity, { where: { jobId }, order: { id: 'ASC' } });
}

/** Removes NUL characters, which PostgreSQL cannot store, and truncates the text. */
export function plainText(text: string, longest = 1_000): string {
  return text.replaceAll('\0', '').slice(0, longest);
}
