import type { Message } from '@idsync/contracts';
import { type Database, findJobState, forgetEndedRuns } from '@idsync/database';

/** A job has ended: what it saw is of no use any more. What it planned can be looked at as long as the job itself. */
export async function forgetRuns(
  database: Database,
  { tenant_id: tenantId, data }: Message<'sync.job.ended'>,
): Promise<void> {
  await database.transaction(tenantId, async (tx) => {
    const job = await findJobState(tx, data.job_id);
    if (job) await forgetEndedRuns(tx, job.connectorId);
  });
}
