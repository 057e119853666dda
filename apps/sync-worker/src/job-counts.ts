import type { JobCounts } from '@idsync/database/sync';

export interface PageCounts {
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

/** Counts an applied batch. */
export function afterBatch(counts: JobCounts, batch: { applied: number; failed: number }): JobCounts {
  return withProgress({
    ...counts,
    recordsApplied: counts.recordsApplied + batch.applied,
    recordsFailed: counts.recordsFailed + batch.failed,
    batchesProcessed: counts.batchesProcessed + 1,
  });
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

/** Returns true if everything is read and applied. */
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
