import { channel } from 'node:diagnostics_channel';
import type { JobEnd, SyncJob } from '@idsync/database/sync';
import type { Logger } from '@idsync/runtime';

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
