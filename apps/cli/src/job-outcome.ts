import type { JobStatus } from '@idsync/contracts';
import type { Job } from './admin-replies.js';
import type { Followed } from './follow.js';
import type { Session } from './session.js';
import { printable } from './table.js';

/** Statuses a watcher need not wait in: the job has ended, or waits for a person. */
const settled: readonly JobStatus[] = ['completed', 'completed_with_errors', 'failed', 'cancelled', 'quarantined'];

export const followedJob: Followed<Job> = {
  isSettled: ({ status }) => settled.includes(status),
  progressOf: ({ status, progress_pct: percent = 0, records_applied: applied = 0 }) => ({
    status,
    percent,
    amount: `${applied} records`,
  }),
};

/** 0 completed, 3 completed but for some records, 1 anything else. */
export function exitCodeOf(status: JobStatus): number {
  if (status === 'completed') return 0;
  return status === 'completed_with_errors' ? 3 : 1;
}

/** The job, and below it the records that could not be read or applied. */
export function printJob(session: Session, job: Job): void {
  if (session.json) {
    session.printOne(job);
    return;
  }
  const { errors = [], ...rest } = job;
  session.printOne(rest);
  for (const error of errors) session.print(`  ${printable(describeError(error))}\n`);
  const unlisted = (job.records_failed ?? 0) - errors.length;
  if (unlisted > 0) session.print(`  and ${unlisted} more\n`);
}

function describeError({ line, external_id: id, message }: NonNullable<Job['errors']>[number]): string {
  const place = [line === undefined ? [] : `line ${line}`, id === undefined ? [] : `record ${id}`].flat().join(', ');
  return place ? `${place}: ${message}` : message;
}
