// SQL by hand: inserts in bulk.
import { newUuid } from '@idsync/contracts';
import type { Transaction } from '../database.js';
import { SyncRecordErrorEntity } from '../entities/record-errors.entities.js';
import { findRow } from '../rows.js';
import type { SyncJob } from './jobs.js';

/** A record, or one field of it, that was left out. Its source knows the line, the directory only the external id. */
export interface LeftOutRecord {
  /** Absent if the whole record was left out. */
  field?: string;
  line?: number;
  external_id?: string;
  message: string;
  /** Redacted source value or text that caused the error. */
  said?: string;
  hides_others?: true;
}

/** Maximum number of records and of fields whose errors are stored per job; all of them are counted. */
const maxErrors = 1_000;

/** Stores the errors of a locked job, up to the first thousand of records and of fields. */
export async function saveRecordErrors(tx: Transaction, job: SyncJob, errors: readonly LeftOutRecord[]): Promise<void> {
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
       from unnest($3::uuid[], $4::bigint[], $5::text[], $6::text[], $7::boolean[], $8::text[], $9::text[])
            as error (id, line, external_id, message, hides_others, source_message, field)`,
    [
      job.id,
      job.tenantId,
      first.map(() => newUuid()),
      first.map(({ line }) => line ?? null),
      first.map(({ external_id }) => (external_id === undefined ? null : plainText(external_id, 1_024))),
      first.map(({ message }) => plainText(message)),
      first.map(({ hides_others }) => hides_others ?? false),
      first.map(({ said }) => (said === undefined ? null : plainText(said))),
      first.map(({ field }) => field ?? null),
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
