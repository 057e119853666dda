import type { JobState, RunCoverage } from '@idsync/database/directory';

/** Returns true for a run that lists only some records, so that a record that it does not list still exists. */
export function reportsDeletions({ mode }: Pick<JobState, 'mode'>): boolean {
  return mode === 'changes' || mode === 'record';
}

/** Returns the reason why a completely read run must delete nothing, or undefined if every record is accounted for. */
export function whyIncomplete(job: JobState, proof: RunCoverage): string | undefined {
  const accounted = job.recordsApplied + job.recordsFailed === job.recordsRead;
  if (job.batchesTotal === null || proof.batches !== job.batchesTotal || !accounted) {
    return 'nothing was deleted: not every record that was read is accounted for';
  }
  if (proof.errorsUnnamed > 0) {
    return `nothing was deleted: ${lines(proof.errorsUnnamed)} could be any of the records that were not listed`;
  }
  // The ids of failed records must not be deleted, but only the first ones are stored.
  if (proof.errorsKept < job.recordsFailed) return 'nothing was deleted: too many records were left out';
  return undefined;
}

function lines(count: number): string {
  return count === 1 ? '1 record without an id' : `${count} records without an id`;
}
