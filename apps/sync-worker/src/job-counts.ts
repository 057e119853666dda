import type { JobCounts } from '@idsync/database';

export interface PageCounts {
  records: number;
  errors: number;
  /** How much of the source is behind this page, if the source can tell. */
  fraction?: number;
  last: boolean;
}

/** A page was read: its records are a batch now, its errors are records that failed. */
export function afterPage(counts: JobCounts, page: PageCounts): JobCounts {
  const recordsRead = counts.recordsRead + page.records + page.errors;
  const batchesWritten = counts.batchesWritten + (page.records > 0 ? 1 : 0);
  return withProgress({
    ...counts,
    recordsRead,
    recordsExpected: page.fraction ? Math.round(recordsRead / Math.min(page.fraction, 1)) : counts.recordsExpected,
    recordsFailed: counts.recordsFailed + page.errors,
    batchesWritten,
    batchesTotal: page.last ? batchesWritten : counts.batchesTotal,
  });
}

/** The directory has applied a batch. */
export function afterBatch(counts: JobCounts, batch: { applied: number; failed: number }): JobCounts {
  return withProgress({
    ...counts,
    recordsApplied: counts.recordsApplied + batch.applied,
    recordsFailed: counts.recordsFailed + batch.failed,
    batchesProcessed: counts.batchesProcessed + 1,
  });
}

/** What several batches named was counted as applied each time; all but once it was left out. */
export function afterSweep(counts: JobCounts, repeated: number): JobCounts {
  return {
    ...counts,
    recordsApplied: counts.recordsApplied - repeated,
    recordsFailed: counts.recordsFailed + repeated,
  };
}

/** The source failed: what was written of it is all there will be. */
export function afterSourceFailed(counts: JobCounts): JobCounts {
  return { ...counts, batchesTotal: counts.batchesWritten };
}

/** The job ended; only success makes a hundred of it. */
export function afterEnd(counts: JobCounts, succeeded: boolean): JobCounts {
  return succeeded ? { ...counts, progressPct: 100 } : counts;
}

/** Nothing is left to read or to wait for. */
export function isComplete(counts: JobCounts): boolean {
  return counts.batchesTotal !== null && counts.batchesProcessed >= counts.batchesTotal;
}

/** Records settled against records known; an estimate that grows never takes progress back. */
function withProgress(counts: JobCounts): JobCounts {
  const known = Math.max(counts.recordsExpected ?? 0, counts.recordsRead);
  const settled = counts.recordsApplied + counts.recordsFailed;
  const percent = known === 0 ? 0 : Math.min(99, Math.floor((100 * settled) / known));
  return { ...counts, progressPct: Math.max(counts.progressPct, percent) };
}
