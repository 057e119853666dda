import { newUuid, type RecordOutcome } from '@idsync/contracts';
import { traceparent } from '@idsync/runtime';
import type { Transaction } from '../database.js';
import type { ClaimableJob } from './leases.js';

/** A job that reads one record, whatever else its connector does. Always one of its own: it reads after whoever asked. */
export async function insertRecordJob(
  tx: Transaction,
  tenantId: string,
  { connectorId, externalId }: { connectorId: string; externalId: string },
): Promise<string> {
  const id = newUuid();
  await tx.query(
    `insert into sync_jobs (id, tenant_id, connector_id, keyed, mode, external_id, traceparent)
     values ($1, $2, $3, true, 'record', $4, $5)`,
    [id, tenantId, connectorId, externalId, traceparent() ?? null],
  );
  return id;
}

/** Jobs of one record that somebody should work on, the oldest first; those of the same record one after another. */
export async function findClaimableRecordJobs(tx: Transaction, limit: number): Promise<ClaimableJob[]> {
  return tx.query<ClaimableJob>(
    `select id, tenant_id as "tenantId" from sync_jobs j
      where mode = 'record' and status in ('queued', 'running') and (status = 'queued' or lease_until < now())
        and not exists (
          select from sync_jobs before
           where before.mode = 'record' and before.status in ('queued', 'running') and before.id < j.id
             and before.connector_id = j.connector_id and before.external_id = j.external_id)
      order by id limit $1`,
    [limit],
  );
}

/** Saves what came of the record of a locked job. */
export async function saveOutcome(tx: Transaction, jobId: string, outcome: RecordOutcome): Promise<void> {
  await tx.query('update sync_jobs set outcome = $2 where id = $1', [jobId, outcome]);
}
