import type { JobCounts, JobEnd, SourceFailure, SyncJob } from '@idsync/database/sync';

interface PageCounts {
  records: number;
  /** Batches that these records were divided into. */
  batches: number;
  errors: number;
  /** Fields that were left out of these records. */
  fieldsLeftOut: number;
  /** Fraction of the source that has been read after this page, if the source reports it. */
  fraction?: number;
  last: boolean;
}

/** Counts a page: its records are in batches, its errors are failed records. */
export function afterPage(counts: JobCounts, page: PageCounts): JobCounts {
  const recordsRead = counts.recordsRead + page.records + page.errors;
  const batchesWritten = counts.batchesWritten + page.batches;
  return withProgress({
    ...counts,
    recordsRead,
    recordsExpected: page.fraction ? Math.round(recordsRead / Math.min(page.fraction, 1)) : counts.recordsExpected,
    recordsFailed: counts.recordsFailed + page.errors,
    fieldsLeftOut: counts.fieldsLeftOut + page.fieldsLeftOut,
    batchesWritten,
    batchesTotal: page.last ? batchesWritten : counts.batchesTotal,
  });
}

export function afterBatch(counts: JobCounts, batch: { applied: number; failed: number }): JobCounts {
  return withProgress({
    ...counts,
    recordsApplied: counts.recordsApplied + batch.applied,
    recordsFailed: counts.recordsFailed + batch.failed,
    batchesProcessed: counts.batchesProcessed + 1,
  });
}

/**
 * Announces as many written batches as the share of the job permits, or the next batch of an incremental run, because later
 * values of the same record must be applied later.
 */
export function withAnnounced(counts: JobCounts, mode: SyncJob['mode'], share: number): JobCounts {
  const { batchesAnnounced, batchesProcessed, batchesWritten } = counts;
  const permitted = Math.min(batchesWritten, batchesProcessed + (mode === 'changes' ? 1 : share));
  return { ...counts, batchesAnnounced: Math.max(batchesAnnounced, permitted) };
}

/** Moves the repeated entries of records from applied to failed: only the last entry of a record counts as applied. */
export function afterSweep(counts: JobCounts, repeated: number): JobCounts {
  return {
    ...counts,
    recordsApplied: counts.recordsApplied - repeated,
    recordsFailed: counts.recordsFailed + repeated,
  };
}

/** Fixes the number of batches when the source has failed. */
export function afterSourceFailed(counts: JobCounts): JobCounts {
  return { ...counts, batchesTotal: counts.batchesWritten };
}

/** Sets progress to 100 % if the job succeeded. */
export function afterEnd(counts: JobCounts, succeeded: boolean): JobCounts {
  return succeeded ? { ...counts, progressPct: 100 } : counts;
}

export function isComplete(counts: JobCounts): boolean {
  return counts.batchesTotal !== null && counts.batchesProcessed >= counts.batchesTotal;
}

/** Computes progress as processed per known records; a growing estimate never decreases it. */
function withProgress(counts: JobCounts): JobCounts {
  const known = Math.max(counts.recordsExpected ?? 0, counts.recordsRead);
  const settled = counts.recordsApplied + counts.recordsFailed;
  const percent = known === 0 ? 0 : Math.min(99, Math.floor((100 * settled) / known));
  return { ...counts, progressPct: Math.max(counts.progressPct, percent) };
}

interface JobOutcome extends SourceFailure {
  status: JobEnd['status'];
}

/** Failure fields of a job whose source did not fail. */
export const withoutSource = (errorMessage: string | null): SourceFailure => ({
  errorMessage,
  errorCode: null,
  sourceMessage: null,
});

interface FirstError {
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
