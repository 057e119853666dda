import { type Lease, renewLease } from '@idsync/database';
import type { RunControl } from './run-control.js';
import type { SyncContext } from './sync-context.js';

/** Renews a lease every third of its time, and interrupts the run once it is lost. Call what it returns at the end. */
export function keepLease(context: SyncContext, lease: Lease, control: RunControl): () => void {
  const { database, settings, log } = context;
  let renewedAt = Date.now();
  let renewing = false;

  async function renew(): Promise<void> {
    renewing = true;
    const askedAt = Date.now();
    try {
      const holds = await database.transaction(lease.tenantId, (tx) => renewLease(tx, lease, settings.leaseMs));
      if (holds) renewedAt = askedAt;
      else control.interrupt('lease lost');
    } catch (error) {
      log.warn(`lease of job ${lease.jobId} not renewed: ${String(error)}`);
    } finally {
      renewing = false;
    }
  }

  const timer = setInterval(() => {
    // The database has been out of reach for so long that another worker may have the job by now.
    if (Date.now() - renewedAt > settings.leaseMs) control.interrupt('lease lost');
    else if (!renewing) void renew();
  }, settings.leaseMs / 3);
  return () => clearInterval(timer);
}
