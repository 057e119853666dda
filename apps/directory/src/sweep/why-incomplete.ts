import type { JobState, SeenProof } from '@idsync/database';

/** Why nothing may be deleted after a run, although its source was read to its end; undefined if all of it is accounted for. */
export function whyIncomplete(job: JobState, proof: SeenProof): string | undefined {
  const accounted = job.recordsApplied + job.recordsFailed === job.recordsRead;
  if (job.batchesTotal === null || proof.batches !== job.batchesTotal || !accounted) {
    return 'nothing was deleted: not every record that was read is accounted for';
  }
  if (proof.errorsUnnamed > 0) {
    return `nothing was deleted: ${lines(proof.errorsUnnamed)} could be any of the records that were not listed`;
  }
  // Each one's id would have to be spared, and only the first of them are kept.
  if (proof.errorsKept < job.recordsFailed) return 'nothing was deleted: too many records were left out';
  return undefined;
}

function lines(count: number): string {
  return count === 1 ? '1 record without an id' : `${count} records without an id`;
}
