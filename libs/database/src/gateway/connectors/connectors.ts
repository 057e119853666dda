// SQL by hand: lateral joins, and an update that compares JSON.
import {
  type ConnectorBody,
  type JobMode,
  newUuid,
  type ProbeKind,
  type SourceErrorCode,
  safeguard,
} from '@idsync/contracts';
import { IsNull } from 'typeorm';
import { enqueue } from '../../bus/outbox.js';
import type { Transaction } from '../../database.js';
import { ConnectorProbeEntity, ConnectorSecretsEntity } from '../../entities/connector.entities.js';
import { ConnectorEntity } from '../../entities/gateway.entities.js';
import { findRow, insertRow } from '../../rows.js';
import type { Page, Rows } from '../page.js';

export interface ConnectorRow
  extends Omit<ConnectorEntity, 'tenant' | 'configVersion' | 'plannedSchedule' | 'deletedAt'> {
  /** Names of its secrets. */
  secrets: string[];
  /** Null until a run is planned with the current schedule. */
  nextRunAt: Date | null;
  /** Number of consecutive failed jobs. */
  failures: number;
  /** True while one of its jobs waits for an operator. */
  quarantined: boolean;
  skippedAt: Date | null;
  skippedBecause: string | null;
  /** Null if the next run is a full run. */
  checkpointAt: Date | null;
  /** Start of the last run that read the whole source. */
  completeAsOf: Date | null;
  lastRun: LastRun | null;
}

/** The last job of a connector that ended and was not a dry run. */
export interface LastRun {
  id: string;
  status: string;
  mode: JobMode;
  startedAt: string | null;
  completedAt: string;
  errorMessage: string | null;
  errorCode: SourceErrorCode | null;
  sourceMessage: string | null;
  recordsRead: number;
  recordsFailed: number;
  recordsDeleted: number;
}

// The lateral joins have limits, so that PostgreSQL always uses index lookups. `$1` is the tenant.
const shown = (from: string) => `
  select c.id, c.tenant_id as "tenantId", c.type, c.name, c.priority, c.records, c.config, c.safeguard, c.schedule,
         coalesce((select names from connector_secrets x where x.tenant_id = $1 and x.connector_id = c.id), '{}') as secrets,
         c.created_at as "createdAt", c.updated_at as "updatedAt",
         case when c.planned_schedule = c.schedule and s.due_at is not null then s.next_run_at end as "nextRunAt",
         coalesce(s.failures, 0) as failures,
         exists (select from sync_jobs j where j.tenant_id = $1 and j.connector_id = c.id
                    and j.status = 'quarantined' and j.mode <> 'record') as quarantined,
         s.skipped_at as "skippedAt", s.skipped_because as "skippedBecause",
         case when s.config_version = c.config_version then s.checkpoint_at end as "checkpointAt",
         s.complete_as_of as "completeAsOf",
         (select jsonb_build_object('id', j.id, 'status', j.status, 'mode', j.mode, 'startedAt', j.started_at,
                   'completedAt', j.completed_at, 'errorMessage', j.error_message, 'errorCode', j.error_code,
                   'sourceMessage', j.source_message, 'recordsRead', j.records_read,
                   'recordsFailed', j.records_failed, 'recordsDeleted', j.records_deleted)
            from sync_jobs j
           where j.tenant_id = $1 and j.id = s.last_job_id and j.completed_at is not null) as "lastRun"
    from ${from} as c left join lateral (
      select * from connector_states where tenant_id = $1 and connector_id = c.id limit 1) s on true`;

export async function insertConnector(tx: Transaction, body: ConnectorBody): Promise<ConnectorRow> {
  const id = newUuid();
  const { type, name, priority, records, config, safeguard, schedule = null } = body;
  await tx.manager.insert(ConnectorEntity, {
    id,
    tenantId: tx.tenantId,
    type,
    name,
    priority,
    records,
    config,
    safeguard,
    schedule,
  });
  const row = await findConnector(tx, id);
  if (!row) throw new Error('the connector was not inserted');
  return row;
}

export async function findConnector(tx: Transaction, id: string): Promise<ConnectorRow | undefined> {
  // `offset 0` keeps `deleted_at` out of the subquery, so that PostgreSQL uses the primary key instead of a partial
  // index.
  const one = '(select * from connectors where tenant_id = $1 and id = $2 offset 0)';
  const [row] = await tx.query<ConnectorRow>(`${shown(one)} where c.deleted_at is null`, [tx.tenantId, id]);
  return row && complete(row);
}

/** Like findConnector, but locks the row until the end of the transaction. */
export async function lockConnector(tx: Transaction, id: string): Promise<ConnectorRow | undefined> {
  await tx.query('select 1 from connectors where tenant_id = $1 and id = $2 for update', [tx.tenantId, id]);
  return findConnector(tx, id);
}

export async function listConnectors(tx: Transaction, page: Page): Promise<Rows<ConnectorRow>> {
  const rows = await tx.query<ConnectorRow>(
    `${shown('connectors')} where c.tenant_id = $1 and c.deleted_at is null order by c.created_at, c.id limit $2 offset $3`,
    [tx.tenantId, page.limit, page.offset],
  );
  const total = 'select count(*) from connectors where tenant_id = $1 and deleted_at is null';
  return { rows: rows.map(complete), total: await tx.count(total, [tx.tenantId]) };
}

export async function updateConnector(
  tx: Transaction,
  id: string,
  body: ConnectorBody,
): Promise<ConnectorRow | undefined> {
  await tx.query(
    `update connectors
        set name = $3, priority = $4, records = $5, config = $6, safeguard = $7, schedule = $8, updated_at = now(),
            config_version = config_version + (config is distinct from $6::jsonb)::integer
      where tenant_id = $1 and id = $2 and deleted_at is null`,
    [
      tx.tenantId,
      id,
      body.name,
      body.priority,
      body.records,
      JSON.stringify(body.config),
      JSON.stringify(body.safeguard),
      jsonOf(body.schedule),
    ],
  );
  return findConnector(tx, id);
}

/** Marks the connector as deleted, since its records still contribute to identities. Returns false if there is none. */
export async function deleteConnector(tx: Transaction, id: string): Promise<boolean> {
  const connector = { tenantId: tx.tenantId, id, deletedAt: IsNull() };
  const { affected } = await tx.manager.update(ConnectorEntity, connector, { deletedAt: () => 'now()' });
  return affected === 1;
}

/** Connectors that were not created through the API have no settings; they get the defaults. */
function complete(row: ConnectorRow): ConnectorRow {
  return { ...row, safeguard: safeguard.parse(row.safeguard) };
}

function jsonOf(schedule: ConnectorBody['schedule']): string | null {
  return schedule ? JSON.stringify(schedule) : null;
}

/** Returns undefined if the connector has no secrets. */
export async function findConnectorSecrets(tx: Transaction, connectorId: string): Promise<Buffer | undefined> {
  return (await tx.manager.findOneBy(ConnectorSecretsEntity, { tenantId: tx.tenantId, connectorId }))?.ciphertext;
}

/** Replaces all secrets of the connector. */
export async function saveConnectorSecrets(
  tx: Transaction,
  connectorId: string,
  { encrypted, names }: { encrypted: Buffer; names: readonly string[] },
): Promise<void> {
  const secrets = { connectorId, tenantId: tx.tenantId, ciphertext: encrypted, names: [...names] };
  await tx.manager.upsert(ConnectorSecretsEntity, secrets, ['tenantId', 'connectorId']);
}

export async function deleteConnectorSecrets(tx: Transaction, connectorId: string): Promise<void> {
  await tx.manager.delete(ConnectorSecretsEntity, { tenantId: tx.tenantId, connectorId });
}

export type ProbeRow = ConnectorProbeEntity;

/** Stores a probe and notifies the sync-worker, in one transaction. */
export async function requestProbe(tx: Transaction, connectorId: string, kind: ProbeKind): Promise<ProbeRow> {
  const probe = await insertRow(tx, ConnectorProbeEntity, { id: newUuid(), tenantId: tx.tenantId, connectorId, kind });
  await enqueue(tx, { type: 'connector.probe.requested', tenantId: tx.tenantId, data: { probe_id: probe.id } });
  return probe;
}

export function findProbe(tx: Transaction, id: string): Promise<ProbeRow | undefined> {
  return findRow(tx, ConnectorProbeEntity, { where: { tenantId: tx.tenantId, id } });
}
