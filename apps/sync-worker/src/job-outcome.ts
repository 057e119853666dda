import type { JobCounts, JobEnd, SourceFailure } from '@idsync/database/sync';

export interface JobOutcome extends SourceFailure {
  status: JobEnd['status'];
}

/** Failure fields of a job whose source did not fail. */
export const withoutSource = (errorMessage: string | null): SourceFailure => ({
  errorMessage,
  errorCode: null,
  sourceMessage: null,
});

export interface FirstError {
  line: number | null;
  externalId: string | null;
  message: string;
}

/**
 * Returns the outcome of a job whose batches are all applied: failed if its source failed, else completed with or
 * without errors.
 */
export function decideOutcome(
  { errorMessage, errorCode, sourceMessage }: SourceFailure,
  counts: JobCounts,
  firstError: FirstError | undefined,
): JobOutcome {
  if (errorMessage !== null) return { status: 'failed', errorMessage, errorCode, sourceMessage };
  if (counts.recordsFailed + counts.fieldsLeftOut === 0) return { status: 'completed', ...withoutSource(null) };
  const example = firstError ? `; ${describe(firstError)}` : '';
  return { status: 'completed_with_errors', ...withoutSource(leftOut(counts) + example) };
}

/** Text for permanent storage; it must not name a record. */
export function leftOut({ recordsFailed, fieldsLeftOut }: Pick<JobCounts, 'recordsFailed' | 'fieldsLeftOut'>): string {
  const records = recordsFailed === 1 ? '1 record was left out' : `${recordsFailed} records were left out`;
  if (fieldsLeftOut === 0) return records;
  const values =
    fieldsLeftOut === 1
      ? '1 value or repeated row was left out'
      : `${fieldsLeftOut} values or repeated rows were left out`;
  return recordsFailed === 0 ? values : `${records}, ${values}`;
}

function describe({ line, externalId, message }: FirstError): string {
  if (line !== null) return `line ${line}: ${message}`;
  return externalId === null ? message : `${externalId}: ${message}`;
}
