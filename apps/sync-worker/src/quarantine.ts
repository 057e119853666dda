import { encodeId, type Message } from '@idsync/contracts';
import type { Database } from '@idsync/database';
import { recordEvents } from '@idsync/database/bus';
import { lockJob, lockRunningBeside, quarantineJob, saveDecision } from '@idsync/database/sync';
import { requestSweep } from './end-job.js';
import { reportEnd } from './job-ends.js';
import { quarantinedJobs } from './metrics.js';

/** Quarantines a job whose sweep the deletion safeguard has stopped. Returns true if it was quarantined. */
export async function quarantine(
  database: Database,
  { tenant_id: tenantId, data }: Message<'sync.sweep.held'>,
): Promise<boolean> {
  return database.transaction(tenantId, async (tx) => {
    const job = await lockJob(tx, tenantId, data.job_id);
    // An answer from before the release is outdated.
    if (job?.status !== 'running' || job.released) return false;
    await quarantineJob(tx, job.id, data.note);
    tx.afterCommit(() => {
      quarantinedJobs.add({});
      reportEnd({ job, status: 'quarantined' });
    });
    const jobId = encodeId('job', job.id);
    await recordEvents(tx, tenantId, [
      {
        type: 'sync.job.quarantined',
        subjectId: job.id,
        jobId: job.id,
        details: {
          job_id: jobId,
          connector_id: encodeId('connector', job.connectorId),
          reason: data.note,
          plan: `/admin/v1/tenants/${encodeId('tenant', tenantId)}/sync-jobs/${jobId}/plan`,
        },
      },
    ]);
    return true;
  });
}

/**
 * Releases a quarantined job for this run. If another job of the connector is running, the job is swept when that one
 * ends. Returns false if the job is not quarantined or already released.
 */
export async function releaseJob(
  database: Database,
  { tenant_id: tenantId, data }: Message<'sync.job.release_requested'>,
): Promise<boolean> {
  return database.transaction(tenantId, async (tx) => {
    // First, as by the end of that job, which then finds this decision.
    const mustWait = await lockRunningBeside(tx, data.job_id);
    const job = await lockJob(tx, tenantId, data.job_id);
    if (job?.status !== 'quarantined' || job.released) return false;
    await saveDecision(tx, job.id, { action: 'released', reason: data.reason, by: data.by, at: new Date() });
    if (!mustWait) await requestSweep(tx, job);
    return true;
  });
}
