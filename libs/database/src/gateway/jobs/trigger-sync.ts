// SQL by hand: upserts decided by unique keys, benchmarked.
import { type JobStatus, newUuid, type SyncMode } from '@idsync/contracts';
import { traceparent } from '@idsync/runtime';
import { enqueue } from '../../bus/outbox.js';
import type { Transaction } from '../../database.js';

export type TriggerOutcome =
  | { kind: 'accepted'; jobId: string; status: JobStatus; replayed: boolean }
  | { kind: 'unknown_connector' }
  | { kind: 'key_of_another_connector' };

export interface TriggerRequest {
  connectorId: string;
  idempotencyKey?: string;
  dryRun?: boolean;
  mode?: SyncMode;
}

/** Queues a job, or returns the job that this trigger repeats. Safe under concurrency by unique keys. */
export async function triggerSync(tx: Transaction, trigger: TriggerRequest): Promise<TriggerOutcome> {
  const { dryRun = false, mode = 'auto' } = trigger;
  if (dryRun || mode !== 'auto') return triggerSeparateJob(tx, { connectorId: trigger.connectorId, dryRun, mode });
  return trigger.idempotencyKey === undefined
    ? triggerOnce(tx, trigger.connectorId)
    : triggerWithKey(tx, trigger.connectorId, trigger.idempotencyKey);
}

/** Checks that the connector exists, and locks it against deletion. */
async function connectorExists(tx: Transaction, id: string): Promise<boolean> {
  return tx.any('select id from connectors where tenant_id = $1 and id = $2 and deleted_at is null for share', [
    tx.tenantId,
    id,
  ]);
}

async function triggerWithKey(tx: Transaction, connectorId: string, key: string): Promise<TriggerOutcome> {
  const { tenantId } = tx;
  const jobId = newUuid();
  // Waits for concurrent requests with the same key; replaces an expired key.
  const mine = await tx.query(
    `insert into idempotency_keys as k (tenant_id, key, connector_id, job_id, expires_at)
     values ($1, $2, $3, $4, now() + interval '24 hours')
     on conflict (tenant_id, key) do update
        set connector_id = excluded.connector_id, job_id = excluded.job_id, expires_at = excluded.expires_at
      where k.expires_at at time zone 'UTC' < excluded.expires_at at time zone 'UTC' - interval '24 hours'
     returning job_id`,
    [tenantId, key, connectorId, jobId],
  );
  if (mine.length > 0) {
    if (!(await connectorExists(tx, connectorId))) {
      await tx.query('delete from idempotency_keys where tenant_id = $1 and key = $2', [tenantId, key]);
      return { kind: 'unknown_connector' };
    }
    await deleteExpiredKeys(tx);
    await insertJob(tx, { jobId, connectorId, keyed: true });
    return { kind: 'accepted', jobId, status: 'queued', replayed: false };
  }
  const [first] = await tx.query<{ connectorId: string; jobId: string; status: JobStatus }>(
    `select k.connector_id as "connectorId", k.job_id as "jobId", j.status
       from idempotency_keys k join sync_jobs j on j.tenant_id = k.tenant_id and j.id = k.job_id
      where k.tenant_id = $1 and k.key = $2`,
    [tenantId, key],
  );
  if (!first) throw new Error('the idempotency key has no job');
  if (first.connectorId !== connectorId) return { kind: 'key_of_another_connector' };
  return { kind: 'accepted', jobId: first.jobId, status: first.status, replayed: true };
}

/** Deletes a few expired keys with every new one, so that they do not accumulate. */
async function deleteExpiredKeys(tx: Transaction): Promise<void> {
  await tx.query(
    `delete from idempotency_keys where tenant_id = $1 and key = any(array(
       select key from idempotency_keys where tenant_id = $1 and expires_at < now() limit 10 for update skip locked))`,
    [tx.tenantId],
  );
}

/** Always queues a separate job, because a queued one has another mode or is not a dry run. */
async function triggerSeparateJob(
  tx: Transaction,
  { connectorId, dryRun, mode }: { connectorId: string; dryRun: boolean; mode: SyncMode },
): Promise<TriggerOutcome> {
  if (!(await connectorExists(tx, connectorId))) return { kind: 'unknown_connector' };
  const jobId = newUuid();
  await insertJob(tx, { jobId, connectorId, keyed: true, dryRun, mode });
  return { kind: 'accepted', jobId, status: 'queued', replayed: false };
}

async function triggerOnce(tx: Transaction, connectorId: string): Promise<TriggerOutcome> {
  // If another job is queued or started between the two statements, the first one is repeated.
  for (let attempt = 0; attempt < 5; attempt += 1) {
    const [connector] = await tx.query<{ queued: string | null }>(
      `select (select j.id from sync_jobs j
                where j.tenant_id = $1 and j.connector_id = $2 and j.status = 'queued' and not j.keyed) as queued
         from connectors c where c.tenant_id = $1 and c.id = $2 and c.deleted_at is null for share of c`,
      [tx.tenantId, connectorId],
    );
    if (!connector) return { kind: 'unknown_connector' };
    if (connector.queued !== null)
      return { kind: 'accepted', jobId: connector.queued, status: 'queued', replayed: false };
    const jobId = newUuid();
    if (await insertJob(tx, { jobId, connectorId, keyed: false })) {
      return { kind: 'accepted', jobId, status: 'queued', replayed: false };
    }
  }
  throw new Error('could not queue a job in 5 attempts: each time the queued job started before it was found');
}

async function insertJob(
  tx: Transaction,
  job: { jobId: string; connectorId: string; keyed: boolean; dryRun?: boolean; mode?: SyncMode },
): Promise<boolean> {
  const rows = await tx.query(
    `insert into sync_jobs (id, tenant_id, connector_id, keyed, dry_run, mode, traceparent) values ($1, $2, $3, $4, $5, $6, $7)
     on conflict (tenant_id, connector_id) where status = 'queued' and not keyed do nothing returning id`,
    [
      job.jobId,
      tx.tenantId,
      job.connectorId,
      job.keyed,
      job.dryRun ?? false,
      job.mode ?? 'auto',
      traceparent() ?? null,
    ],
  );
  if (rows.length === 0) return false;
  await enqueue(tx, { type: 'sync.job.requested', tenantId: tx.tenantId, data: { job_id: job.jobId } });
  return true;
}
