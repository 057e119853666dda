// SQL by hand: bounded counts, and a job queued once.
import { type ConnectorType, type JobStatus, newUuid, type RecordKind } from '@idsync/contracts';
import { traceparent } from '@idsync/runtime';
import { enqueue } from '../../bus/outbox.js';
import type { Transaction } from '../../database.js';
import type { Page, Rows } from '../page.js';

/** Records beyond this number are not counted, so that a list reads a bounded part of an index. */
export const countedRecords = 10_000;

export interface DeletedConnectorRow {
  id: string;
  tenantId: string;
  type: ConnectorType;
  name: string;
  records: RecordKind;
  deletedAt: Date;
  liveRecords: number;
}

/** `$1` is the tenant. */
const liveRecords = (connector: string) => `
  (select count(*)::int from (
     select from source_records
      where tenant_id = $1 and connector_id = ${connector} and status not in ('deleted', 'decommissioned')
      limit ${countedRecords}) as live)`;

const shown = `id, tenant_id as "tenantId", type, name, records, deleted_at as "deletedAt", ${liveRecords('connectors.id')} as "liveRecords"`;

/** Lists deleted connectors, those deleted last first. */
export async function listDeletedConnectors(tx: Transaction, page: Page): Promise<Rows<DeletedConnectorRow>> {
  const where = 'tenant_id = $1 and deleted_at is not null';
  const rows = await tx.query<DeletedConnectorRow>(
    `select ${shown} from connectors where ${where} order by deleted_at desc, id limit $2 offset $3`,
    [tx.tenantId, page.limit, page.offset],
  );
  return { rows, total: await tx.count(`select count(*) from connectors where ${where}`, [tx.tenantId]) };
}

export async function findDeletedConnector(tx: Transaction, id: string): Promise<DeletedConnectorRow | undefined> {
  // `offset 0` keeps `deleted_at` out of the subquery, so that PostgreSQL uses the primary key.
  return tx.row<DeletedConnectorRow>(
    `select ${shown} from (select * from connectors where tenant_id = $1 and id = $2 offset 0) as connectors
      where deleted_at is not null`,
    [tx.tenantId, id],
  );
}

/** Counts the live records of a connector, up to `countedRecords`. */
export async function countLiveRecords(tx: Transaction, connectorId: string): Promise<number> {
  return tx.count(`select ${liveRecords('$2')} as count`, [tx.tenantId, connectorId]);
}

/** True while a job of the connector is running. */
export async function hasRunningJob(tx: Transaction, connectorId: string): Promise<boolean> {
  return tx.any(`select from sync_jobs where tenant_id = $1 and connector_id = $2 and status = 'running' limit 1`, [
    tx.tenantId,
    connectorId,
  ]);
}

/** Queues the job that deletes the records of a deleted connector, or returns the one that has not ended. */
export async function queueRetirement(
  tx: Transaction,
  connectorId: string,
): Promise<{ id: string; status: JobStatus }> {
  const { tenantId } = tx;
  // Two requests at the same moment queue one job.
  await tx.query('select from connectors where tenant_id = $1 and id = $2 for update', [tenantId, connectorId]);
  const [unfinished] = await tx.query<{ id: string; status: JobStatus }>(
    `select id, status from sync_jobs
      where tenant_id = $1 and connector_id = $2 and status in ('queued', 'running', 'quarantined') and retires
      order by id limit 1`,
    [tenantId, connectorId],
  );
  if (unfinished) return unfinished;
  const id = newUuid();
  await tx.query(
    `insert into sync_jobs (id, tenant_id, connector_id, keyed, mode, retires, traceparent)
     values ($1, $2, $3, true, 'full', true, $4)`,
    [id, tenantId, connectorId, traceparent() ?? null],
  );
  await enqueue(tx, { type: 'sync.job.requested', tenantId, data: { job_id: id } });
  return { id, status: 'queued' };
}
