import type { Message } from '@idsync/contracts';
import { type Database, insertRecordJob, lockJob } from '@idsync/database';

/**
 * Makes a job for each record that two jobs read at the same time: what the source says now is later than both. Delivered twice,
 * one more of them finds nothing changed.
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
