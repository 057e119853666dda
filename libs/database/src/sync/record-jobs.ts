// SQL by hand: jobs are queued by one insert, and claimed by an anti-join.
import { newUuid, type RecordOutcome } from '@idsync/contracts';
import { traceparent } from '@idsync/runtime';
import type { Database, Transaction } from '../database.js';
import { SyncJobEntity } from '../entities/sync.entities.js';
import type { ClaimableJob } from './leases.js';
import { ofActiveTenant } from './leases.js';

/**
 * Queues a job that reads one record, independent of other jobs of its connector. It is always a new job, so that it
 * reads after the request.
 */
export async function insertRecordJob(
  tx: Transaction,
  { connectorId, externalId }: { connectorId: string; externalId: string },
): Promise<string> {
  const id = newUuid();
  await tx.query(
    `insert into sync_jobs (id, tenant_id, connector_id, keyed, mode, external_id, traceparent)
     values ($1, $2, $3, true, 'record', $4, $5)`,
    [id, tx.tenantId, connectorId, externalId, traceparent() ?? null],
  );
  return id;
}

/** Finds record jobs to claim, the oldest first. Jobs of the same record run one after another. */
export async function findClaimableRecordJobs(
  database: Pick<Database, 'readAcrossTenants'>,
  limit: number,
): Promise<ClaimableJob[]> {
  return database.readAcrossTenants<ClaimableJob>({
    name: `claimable-record-jobs-${limit}`,
    text: `select id, tenant_id as "tenantId", connector_id as "connectorId" from sync_jobs j
      where mode = 'record' and status in ('queued', 'running') and (status = 'queued' or lease_until < now())
        and ${ofActiveTenant('j')}
        and not exists (
          select from sync_jobs before
           where before.mode = 'record' and before.status in ('queued', 'running') and before.id < j.id
             and before.tenant_id = j.tenant_id and before.connector_id = j.connector_id
             and before.external_id = j.external_id)
      order by id limit ${limit}`,
    values: [],
  });
}

/** Saves the outcome of a locked record job. */
export async function saveOutcome(tx: Transaction, jobId: string, outcome: RecordOutcome): Promise<void> {
  await tx.manager.update(SyncJobEntity, { tenantId: tx.tenantId, id: jobId }, { outcome });
}
