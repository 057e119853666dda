import type { JobStatus, responses } from '@idsync/contracts';
import type { Watchable } from './follow.js';
import type { Session } from './session.js';
import { printable } from './table.js';

type RecordError = responses.JobDetails['errors'][number];

/** Statuses that end watching: the job has ended, or is quarantined and waits for an operator. */
const settled: readonly JobStatus[] = ['completed', 'completed_with_errors', 'failed', 'cancelled', 'quarantined'];

export const watchableJob: Watchable<responses.JobDetails> = {
  isSettled: ({ status }) => settled.includes(status),
  progressOf: ({ status, waits_for: waitsFor, progress_pct: percent = 0, records_applied: applied = 0 }) => ({
    status: waitsFor ? `${status}, waits for ${waitsFor.job_id} (${waitsFor.status})` : status,
    percent,
    amount: `${applied} records`,
  }),
};

/** Unlike `watchableJob`, waits for a decision about a held job to take effect. */
export const endingJob: Watchable<responses.JobDetails> = {
  ...watchableJob,
  isSettled: ({ status }) => status !== 'quarantined' && settled.includes(status),
};

/** 0 completed, 3 completed with record errors, 1 any other status. */
export function exitCodeOf(status: JobStatus): number {
  if (status === 'completed') return 0;
  return status === 'completed_with_errors' ? 3 : 1;
}

/** Prints the job, then the records that could not be read or applied. Sets the exit code. */
export function printJob(session: Session, job: responses.JobDetails): void {
  session.exit(exitCodeOf(job.status));
  if (session.isRaw) {
    session.printOne(job);
    return;
  }
  const { errors = [], ...rest } = job;
  session.printOne(Object.fromEntries(rowsOf(rest)));
  for (const error of errors) session.print(`  ${printable(describeError(error))}\n`);
  const unlisted = (job.records_failed ?? 0) + (job.fields_left_out ?? 0) - errors.length;
  if (unlisted > 0) session.print(`  and ${unlisted} more\n`);
  if (job.status === 'quarantined' && !job.decision) {
    const [plan, release, cancel] = ['plan', 'release', 'cancel'].map((act) => `idsync jobs ${act} ${job.job_id}`);
    session.note(`see "${plan}", then decide with "${release} --reason …" or "${cancel} --reason …"`);
  }
}

/** Returns the fields, with a row for each value of a decision. */
function rowsOf(fields: object, prefix = ''): [string, unknown][] {
  return Object.entries(fields).flatMap(([name, value]) =>
    value?.constructor === Object ? rowsOf(value, `${prefix}${name} `) : [[prefix + name, value]],
  );
}

function describeError({ line, external_id: id, message, source_message: said }: RecordError): string {
  const place = [line === undefined ? [] : `line ${line}`, id === undefined ? [] : `record ${id}`].flat().join(', ');
  return [...(place ? [place] : []), message, ...(said === undefined ? [] : [said])].join(': ');
}
