import { encodeId } from '@idsync/contracts';
import {
  type ClaimableJob,
  type ClaimedJob,
  claimLease,
  lockNotAvailable,
  recordEvents,
  sqlState,
  uniqueViolation,
  waitForLocksAtMost,
} from '@idsync/database';
import { failJob } from './end-job.js';
import type { SyncContext } from './sync-context.js';

/** A tenant whose log is being written for minutes must not keep the jobs of the others waiting. */
const lockWaitMs = 2_000;

/** Takes a job's lease and tells that it has started, if it was queued. Nothing comes back if somebody else was quicker. */
export async function claimJob(context: SyncContext, candidate: ClaimableJob): Promise<ClaimedJob | undefined> {
  const { database, owner, settings } = context;
  try {
    return await database.transaction(candidate.tenantId, async (tx) => {
      await waitForLocksAtMost(tx, lockWaitMs);
      const job = await claimLease(tx, candidate, owner, settings.leaseMs);
      if (!job) return undefined;
      if (job.attempts > settings.claimsAllowed) {
        await failJob(tx, job, `internal error: ${settings.claimsAllowed} attempts came to nothing`);
        return undefined;
      }
      if (job.started) {
        await recordEvents(tx, job.tenantId, [
          {
            type: 'sync.job.started',
            occurredAt: job.startedAt,
            subjectId: job.id,
            jobId: job.id,
            details: { job_id: encodeId('job', job.id), connector_id: encodeId('connector', job.connectorId) },
          },
        ]);
      }
      return job;
    });
  } catch (error) {
    // Two queued jobs of one connector were claimed at the same moment, and sync_jobs_one_running let one through; or the tenant is
    // busy, and the next look tries again.
    const state = sqlState(error);
    if (state === uniqueViolation || state === lockNotAvailable) return undefined;
    throw error;
  }
}
