import { countActiveJobs, type Database, type JobEnd } from '@idsync/database';
import { counter, durations, gauge, seldom } from '@idsync/runtime';

/** The count of each outcome is that of the jobs. */
export const endedJobs = durations(
  {
    name: 'sync_job_duration_seconds',
    help: 'How long jobs ran from their beginning to their end, by how they ended.',
    labels: ['outcome'],
  },
  'job',
);

/** Of every way to end. */
const ends: Record<JobEnd['status'], true> = {
  completed: true,
  completed_with_errors: true,
  failed: true,
  cancelled: true,
};
for (const outcome of Object.keys(ends)) endedJobs.startAtZero({ outcome });

export const heldBack = counter({
  name: 'sync_safeguard_holds_total',
  help: 'Jobs that a safeguard held back for an operator.',
});

const activeJobs = gauge({
  name: 'sync_jobs',
  help: 'Jobs that are running, and jobs that wait for an operator.',
  labels: ['status'],
});
const scheduleLag = gauge({
  name: 'sync_schedule_lag_seconds',
  help: 'How long the run that is due the longest had been due at the last look for such.',
});
const scheduleLook = gauge({
  name: 'sync_schedule_last_look_timestamp_seconds',
  help: 'When due runs were last looked for.',
});

/** What the looks for due runs have found; nothing where none has succeeded yet. */
export class ScheduleLooks {
  private last: { lag: number; at: number } | undefined;

  note(lag: number): void {
    this.last = { lag, at: Date.now() / 1_000 };
  }

  watch(): () => void {
    const shown = (value: (last: { lag: number; at: number }) => number) => () =>
      this.last ? [{ labels: {}, value: value(this.last) }] : [];
    const forget = [scheduleLag.watch(shown(({ lag }) => lag)), scheduleLook.watch(shown(({ at }) => at))];
    return () => {
      for (const each of forget) each();
    };
  }
}

export function watchJobs(database: Database): () => void {
  const look = seldom(() => database.transaction(undefined, countActiveJobs));
  return activeJobs.watch(async () =>
    (await look()).map(({ status, count }) => ({ labels: { status }, value: count })),
  );
}
