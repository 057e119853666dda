import type { responses } from '@idsync/contracts';

export type WatchedJob = Pick<responses.OperatorJob, 'job_id' | 'status' | 'progress_pct'>;

const ended = new Set(['completed', 'completed_with_errors', 'failed', 'cancelled']);

/** Finds the jobs of a list that changed since the list before. */
export class JobChanges {
  private seen: ReadonlyMap<string, string> | undefined;

  /** `jobs`: newest first. Returns the changed ones, oldest first; at the first call those that have not ended. */
  of<Job extends WatchedJob>(jobs: readonly Job[]): Job[] {
    const before = this.seen;
    const stateOf = ({ status, progress_pct }: Job) => `${status} ${progress_pct}`;
    this.seen = new Map(jobs.map((job) => [job.job_id, stateOf(job)]));
    return jobs
      .filter((job) => (before ? before.get(job.job_id) !== stateOf(job) : !ended.has(job.status)))
      .toReversed();
  }
}
