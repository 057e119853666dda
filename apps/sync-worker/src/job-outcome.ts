import type { JobCounts, JobEnd } from '@idsync/database';

export interface JobOutcome {
  status: JobEnd['status'];
  errorMessage: string | null;
}

export interface FirstError {
  line: number | null;
  externalId: string | null;
  message: string;
}

/** How a job ends whose batches are all applied: failed if its source did, else completed, with or without errors. */
export function decideOutcome(
  sourceError: string | null,
  counts: JobCounts,
  firstError: FirstError | undefined,
): JobOutcome {
  if (sourceError !== null) return { status: 'failed', errorMessage: sourceError };
  if (counts.recordsFailed === 0) return { status: 'completed', errorMessage: null };
  const example = firstError ? `; ${describe(firstError)}` : '';
  return { status: 'completed_with_errors', errorMessage: leftOut(counts) + example };
}

/** What is told where it is kept for ever: it names no record. */
export function leftOut({ recordsFailed }: Pick<JobCounts, 'recordsFailed'>): string {
  return recordsFailed === 1 ? '1 record was left out' : `${recordsFailed} records were left out`;
}

function describe({ line, externalId, message }: FirstError): string {
  if (line !== null) return `line ${line}: ${message}`;
  return externalId === null ? message : `${externalId}: ${message}`;
}
