import { type Lease, renewLease } from '@idsync/database/sync';
import type { RunControl } from './run-control.js';
import type { SyncContext } from './sync-context.js';

/**
 * Renews a lease every third of its duration, and interrupts the run when it is lost. Returns a function that stops the
 * renewal.
 */
export function keepLease(context: SyncContext, lease: Lease, control: RunControl): () => void {
  const { database, settings, log } = context;
  let renewedAt = performance.now();
  let renewing = false;

  async function renew(): Promise<void> {
    renewing = true;
    const askedAt = performance.now();
    try {
      const holds = await database.transaction(lease.tenantId, (tx) => renewLease(tx, lease, settings.leaseMs));
      if (holds) renewedAt = askedAt;
      else control.interrupt('lease lost');
    } catch (err) {
      log.warn({ err, job_id: lease.jobId }, 'renewing the lease of a job failed');
    } finally {
      renewing = false;
    }
  }

  const timer = setInterval(() => {
    // The database was unreachable for so long that another worker may have claimed the job.
    if (performance.now() - renewedAt > settings.leaseMs) control.interrupt('lease lost');
    else if (!renewing) void renew();
  }, settings.leaseMs / 3);
  return () => clearInterval(timer);
}
