import type { Message } from '@idsync/contracts';
import type { Database } from '@idsync/database';
import { findJobState, purgeEndedRuns } from '@idsync/database/directory';

/** Deletes the seen records of ended jobs of a connector. Plans stay as long as their jobs. */
export async function clearEndedRuns(
  database: Database,
  { tenant_id: tenantId, data }: Message<'sync.job.ended'>,
): Promise<void> {
  await database.transaction(tenantId, async (tx) => {
    const job = await findJobState(tx, data.job_id);
    if (job) await purgeEndedRuns(tx, job.connectorId);
  });
}
