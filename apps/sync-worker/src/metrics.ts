import { channel } from 'node:diagnostics_channel';
import type { Database } from '@idsync/database';
import { countActiveJobs, findOldestCompleteRead, type JobEnd, type SyncJob } from '@idsync/database/sync';
import { cached, counter, durations, gauge, type Logger } from '@idsync/runtime';

/** The count of each outcome is the number of ended jobs. */
export const endedJobs = durations(
  {
    name: 'sync_job_duration_seconds',
    help: 'Duration of jobs from start to end, by outcome.',
    labels: ['outcome'],
  },
  'job',
);

const outcomes: JobEnd['status'][] = ['completed', 'completed_with_errors', 'failed', 'cancelled'];
for (const outcome of outcomes) endedJobs.startAtZero({ outcome });

export const quarantinedJobs = counter({
  name: 'sync_safeguard_holds_total',
  help: 'Jobs that a safeguard quarantined.',
});

const activeJobs = gauge({
  name: 'sync_jobs',
  help: 'Running and quarantined jobs.',
  labels: ['status'],
});
const completeAge = gauge({
  name: 'sync_complete_age_seconds',
  help: 'Age of the oldest last complete read among connectors with an active schedule.',
});
const scheduleLag = gauge({
  name: 'sync_schedule_lag_seconds',
  help: 'Delay of the most overdue scheduled run at the last poll of schedules.',
});
const schedulePoll = gauge({
  name: 'sync_schedule_last_look_timestamp_seconds',
  help: 'Time of the last successful poll of schedules.',
});

/** Result of the last poll of schedules; the gauges are absent before the first success. */
export class SchedulePolls {
  private last: { lag: number; at: number } | undefined;

  note(lag: number): void {
    this.last = { lag, at: Date.now() / 1_000 };
  }

  watch(): () => void {
    const shown = (value: (last: { lag: number; at: number }) => number) => () =>
      this.last ? [{ labels: {}, value: value(this.last) }] : [];
    const remove = [scheduleLag.watch(shown(({ lag }) => lag)), schedulePoll.watch(shown(({ at }) => at))];
    return () => {
      for (const each of remove) each();
    };
  }
}

export function watchJobs(database: Database): () => void {
  const poll = cached(() => database.acrossTenants(countActiveJobs));
  return activeJobs.watch(async () =>
    (await poll()).map(({ status, count }) => ({ labels: { status }, value: count })),
  );
}

export function watchCompleteness(database: Database): () => void {
  const poll = cached(() => database.acrossTenants(findOldestCompleteRead));
  return completeAge.watch(async () => [{ labels: {}, value: await poll() }]);
}

/** Receives every job that has ended or was quarantined, after the commit. */
const ends = channel('idsync.sync-worker.job-ended');

interface EndedJob {
  job: Pick<SyncJob, 'id' | 'tenantId' | 'connectorId' | 'mode'>;
  status: JobEnd['status'] | 'quarantined';
}

export function reportEnd(ended: EndedJob): void {
  ends.publish(ended);
}

/**
 * Logs every end of a job until the returned function is called. The error message stays out of the log, because it may
 * contain personal data from the source. Single-record jobs are frequent (one per push) and are logged at `debug`.
 */
export function logEnds(log: Logger): () => void {
  const onEnd = (message: unknown) => {
    const { job, status } = message as EndedJob;
    const fields = { tenant_id: job.tenantId, job_id: job.id, connector_id: job.connectorId, status };
    if (status === 'failed' || status === 'quarantined') log.warn(fields, `job ${status}`);
    else if (job.mode === 'record') log.debug(fields, 'job ended');
    else log.info(fields, 'job ended');
  };
  ends.subscribe(onEnd);
  return () => void ends.unsubscribe(onEnd);
}
