import { lockNotAvailable, setLockTimeout, sqlState, uniqueViolation } from '@idsync/database';
import { type ClaimableJob, type ClaimedJob, claimLease } from '@idsync/database/sync';
import { failJob, recordJobEvent } from './end-job.js';
import type { SyncContext } from './sync-context.js';

/** Lock timeout, so that a long transaction of one tenant does not delay the jobs of other tenants. */
const lockWaitMs = 2_000;

/** Claims a job's lease and records the start of a queued job. Returns undefined if another process has claimed it. */
export async function claimJob(
  context: SyncContext,
  candidate: Pick<ClaimableJob, 'id' | 'tenantId'>,
): Promise<ClaimedJob | undefined> {
  const { database, owner, settings } = context;
  try {
    return await database.transaction(candidate.tenantId, async (tx) => {
      await setLockTimeout(tx, lockWaitMs);
      const job = await claimLease(tx, candidate, owner, settings.leaseMs);
      if (!job) return undefined;
      if (job.attempts > settings.claimsAllowed) {
        await failJob(tx, job, `internal error: no progress in ${settings.claimsAllowed} attempts`);
        return undefined;
      }
      if (job.started) await recordJobEvent(tx, job, 'sync.job.started');
      return job;
    });
  } catch (error) {
    // Either another queued job of the connector was claimed concurrently (sync_jobs_running), or the tenant is
    // locked and the next poll retries.
    const state = sqlState(error);
    if (state === uniqueViolation || state === lockNotAvailable) return undefined;
    throw error;
  }
}
