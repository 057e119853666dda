import { encodeId, type Message } from '@idsync/contracts';
import { type Database, lockJob, quarantineJob, recordEvents, saveDecision } from '@idsync/database';
import { askForSweep } from './end-job.js';
import { tellEnd } from './job-ends.js';
import { heldBack } from './metrics.js';

/** The directory holds back what the job would take away: it waits for an operator. Returns whether. */
export async function quarantine(
  database: Database,
  { tenant_id: tenantId, data }: Message<'sync.sweep.held'>,
): Promise<boolean> {
  return database.transaction(tenantId, async (tx) => {
    const job = await lockJob(tx, tenantId, data.job_id);
    // An answer that was given before the release, and comes after it, says nothing new.
    if (job?.status !== 'running' || job.released) return false;
    const occurredAt = await quarantineJob(tx, job.id, data.note);
    tx.afterCommit(() => {
      heldBack.add({});
      tellEnd({ job, status: 'quarantined' });
    });
    await recordEvents(tx, tenantId, [
      {
        type: 'sync.job.quarantined',
        occurredAt,
        subjectId: job.id,
        jobId: job.id,
        details: {
          job_id: encodeId('job', job.id),
          connector_id: encodeId('connector', job.connectorId),
          reason: data.note,
        },
      },
    ]);
    return true;
  });
}

/** An operator lets a quarantined job do what it wants to, this once. Returns whether it waited for that. */
export async function releaseJob(
  database: Database,
  { tenant_id: tenantId, data }: Message<'sync.job.release_requested'>,
): Promise<boolean> {
  return database.transaction(tenantId, async (tx) => {
    const job = await lockJob(tx, tenantId, data.job_id);
    if (job?.status !== 'quarantined') return false;
    await saveDecision(tx, job.id, { action: 'released', reason: data.reason, by: data.by, at: new Date() });
    await askForSweep(tx, job);
    return true;
  });
}
