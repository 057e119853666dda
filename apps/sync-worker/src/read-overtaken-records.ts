import type { Message } from '@idsync/contracts';
import type { Database } from '@idsync/database';
import { insertRecordJob, lockJob } from '@idsync/database/sync';

/**
 * Queues a job for each record that two jobs have read concurrently, because a new read is later than both. A
 * redelivered message queues one more job, which changes nothing.
 */
export async function readOvertakenRecords(
  database: Database,
  { tenant_id: tenantId, data }: Message<'sync.record.overtaken'>,
): Promise<void> {
  await database.transaction(tenantId, async (tx) => {
    const job = await lockJob(tx, tenantId, data.job_id);
    if (!job) return;
    const { connectorId } = job;
    for (const externalId of data.external_ids) await insertRecordJob(tx, tenantId, { connectorId, externalId });
  });
}
