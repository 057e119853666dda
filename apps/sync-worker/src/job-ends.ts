import { channel } from 'node:diagnostics_channel';
import type { JobEnd, SyncJob } from '@idsync/database';

/** Told of every job that has ended, or is held back by a safeguard, once that is committed. */
const ends = channel('idsync.sync-worker.job-ended');

interface EndedJob {
  job: Pick<SyncJob, 'id' | 'tenantId' | 'connectorId' | 'mode'>;
  status: JobEnd['status'] | 'quarantined';
}

interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

export function tellEnd(ended: EndedJob): void {
  ends.publish(ended);
}

/**
 * Leaves a line for each, until what is returned is called. Why one failed is told by the job and not here: a source may have put
 * people's data into it. Jobs of one record come with every push, and are told at `debug`.
 */
export function logEnds(log: Log): () => void {
  const onEnd = (told: unknown) => {
    const { job, status } = told as EndedJob;
    const fields = { tenant_id: job.tenantId, job_id: job.id, connector_id: job.connectorId, status };
    if (status === 'failed' || status === 'quarantined') log.warn(fields, `job ${status}`);
    else if (job.mode === 'record') log.debug(fields, 'job ended');
    else log.info(fields, 'job ended');
  };
  ends.subscribe(onEnd);
  return () => void ends.unsubscribe(onEnd);
}
