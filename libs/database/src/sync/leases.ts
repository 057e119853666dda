// SQL by hand: claims that skip locked rows, benchmarked.
import type { Database, Transaction } from '../database.js';
import { SyncJobEntity } from '../entities/sync.entities.js';
import { jobColumns, type SourceFailure, type SourcePlace, type SyncJob } from './jobs.js';

/** The right to read a job's source. The token is a fencing token: every later lease has a higher one. */
export interface Lease {
  jobId: string;
  tenantId: string;
  token: number;
}

export interface ClaimableJob {
  id: string;
  tenantId: string;
  connectorId: string;
}

export interface ClaimedJob extends SyncJob {
  /** Trace context of the request that triggered the job. */
  traceparent: string | null;
  /** True if the job was queued, false if it was taken over from another worker. */
  started: boolean;
}

/**
 * Finds jobs to claim: running ones with an expired lease, and the oldest queued one of each idle connector. Record
 * jobs are found separately, since they do not wait for other jobs.
 * Reads one entry of an index for each queued job.
 */
export async function findClaimableJobs(
  database: Pick<Database, 'readAcrossTenants'>,
  limit: number,
): Promise<ClaimableJob[]> {
  return database.readAcrossTenants<ClaimableJob>({
    name: `claimable-jobs-${limit}`,
    text: `with waiting as (
       select distinct on (tenant_id, connector_id) tenant_id, connector_id, id from sync_jobs
        where status = 'queued' and mode <> 'record' order by tenant_id, connector_id, id)
     select id, tenant_id as "tenantId", connector_id as "connectorId" from (
       select id, tenant_id, connector_id from sync_jobs j where status = 'running' and mode <> 'record' and lease_until < now()
         and ${ofActiveTenant('j')}
       union all
       select id, tenant_id, connector_id from waiting where ${ofActiveTenant('waiting')} and not exists (
         select from sync_jobs busy
          where busy.tenant_id = waiting.tenant_id and busy.connector_id = waiting.connector_id
            and busy.mode <> 'record' and busy.status = 'running')
         -- A released job goes first.
         and not exists (
         select from sync_jobs held
          where held.tenant_id = waiting.tenant_id and held.connector_id = waiting.connector_id
            and held.mode <> 'record' and held.status = 'quarantined' and held.decision ->> 'action' = 'released')
     ) as claimable
     order by id limit ${limit}`,
    values: [],
  });
}

/**
 * Claims the job if it is still claimable and no other worker is claiming it. Fails with 23505 if another job of its
 * connector has started in the meantime.
 */
export async function claimLease(
  tx: Transaction,
  job: Pick<ClaimableJob, 'id' | 'tenantId'>,
  owner: string,
  leaseMs: number,
): Promise<ClaimedJob | undefined> {
  return tx.row<ClaimedJob>(
    `with free as (
       select id, status from sync_jobs
        where id = $1 and tenant_id = $2 and (status = 'queued' or (status = 'running' and lease_until < now()))
          for update skip locked)
     update sync_jobs j
        set status = 'running', started_at = coalesce(j.started_at, (select now())), attempts = j.attempts + 1, lease_owner = $3,
            lease_until = now() + $4 * interval '1 millisecond', lease_token = j.lease_token + 1
       from free where j.tenant_id = $2 and j.id = free.id
     returning ${jobColumns}, j.traceparent, free.status = 'queued' as started`,
    [job.id, job.tenantId, owner, leaseMs],
  );
}

/**
 * A lease is valid while its job runs, no later lease exists, the source is not read completely, and the tenant is not
 * suspended. A job of a suspended tenant thus keeps its position, and is claimed again after the suspension.
 */
const held = `id = $1 and tenant_id = $2 and lease_token = $3 and status = 'running' and batches_total is null
  and not exists (select from tenants t where t.id = $2 and t.suspended_at is not null)`;

const valuesOf = ({ jobId, tenantId, token }: Lease) => [jobId, tenantId, token];

/** Locks the job if the lease is still valid. */
export async function lockLeasedJob(tx: Transaction, lease: Lease): Promise<SyncJob | undefined> {
  return tx.row(`select ${jobColumns} from sync_jobs j where ${held} for update`, valuesOf(lease));
}

/** Returns false if the lease is no longer valid. */
export async function renewLease(tx: Transaction, lease: Lease, leaseMs: number): Promise<boolean> {
  return tx.any(`update sync_jobs set lease_until = now() + $4 * interval '1 millisecond' where ${held} returning id`, [
    ...valuesOf(lease),
    leaseMs,
  ]);
}

/** Saves the position of the job and renews its lease. The last page also has the checkpoint for the next run. */
export async function savePosition(
  tx: Transaction,
  lease: Lease,
  { cursor, checkpoint }: { cursor: SourcePlace | null; checkpoint?: SourcePlace },
  leaseMs: number,
): Promise<void> {
  await tx.query(
    `update sync_jobs set cursor = $4, attempts = 0, lease_until = now() + $5 * interval '1 millisecond',
            checkpoint = coalesce($6, checkpoint), last_record_at = now()
      where id = $1 and tenant_id = $2 and lease_token = $3`,
    [...valuesOf(lease), cursor, leaseMs, checkpoint ?? null],
  );
}

/** Ends reading of the source; the job then waits for its batches. */
export async function endReading(tx: Transaction, lease: Lease, failure: SourceFailure | null): Promise<void> {
  const { errorMessage = null, errorCode = null, sourceMessage = null } = failure ?? {};
  await tx.manager.update(
    SyncJobEntity,
    { id: lease.jobId, tenantId: lease.tenantId, leaseToken: lease.token },
    { errorMessage, errorCode, sourceMessage, leaseOwner: null, leaseUntil: null },
  );
}

/** Allows another worker to claim the job after `delayMs`. With `asIfNeverClaimed`, the attempt is not counted. */
export async function releaseLease(
  tx: Transaction,
  lease: Lease,
  { delayMs, asIfNeverClaimed }: { delayMs: number; asIfNeverClaimed: boolean },
): Promise<void> {
  await tx.query(
    `update sync_jobs set lease_owner = null, lease_until = now() + $4 * interval '1 millisecond', attempts = greatest(attempts - $5, 0)
      where ${held}`,
    [...valuesOf(lease), delayMs, asIfNeverClaimed ? 1 : 0],
  );
}

/** Condition that the tenant of a row is not suspended: one lookup by the primary key. */
export function ofActiveTenant(row: string): string {
  return `not exists (select from tenants t where t.id = ${row}.tenant_id and t.suspended_at is not null)`;
}
