import { type Lease, lockLeasedJob, saveCounts } from '@idsync/database/sync';
import { endReadJob } from './end-job.js';
import { afterPage } from './job-counts.js';
import { Interrupted } from './run-control.js';
import type { SyncContext } from './sync-context.js';

const nothing = { records: 0, batches: 0, errors: 0, fieldsLeftOut: 0, last: true };

/** Requests the sweep of a retirement, which reads no source: its connector is deleted, so no record is listed. */
export async function endRetirement({ database }: SyncContext, lease: Lease): Promise<void> {
  await database.transaction(lease.tenantId, async (tx) => {
    const job = await lockLeasedJob(tx, lease);
    if (!job) throw new Interrupted('lease lost');
    const counts = afterPage(job, nothing);
    await saveCounts(tx, job.id, counts);
    await endReadJob(tx, job, counts);
  });
}
