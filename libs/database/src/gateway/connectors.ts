import {
  type ConnectorBody,
  type ConnectorType,
  type JobMode,
  newUuid,
  type RecordKind,
  type Safeguard,
  type Schedule,
  safeguard,
} from '@idsync/contracts';
import type { Transaction } from '../database.js';
import { count, type Page, type Rows } from './page.js';

export interface ConnectorRow {
  id: string;
  tenantId: string;
  type: ConnectorType;
  name: string;
  priority: number;
  records: RecordKind;
  config: Record<string, unknown>;
  safeguard: Safeguard;
  /** The names of its secrets. */
  secrets: string[];
  schedule: Schedule | null;
  createdAt: Date;
  updatedAt: Date;
  /** Null while the schedule as it is now has not been planned by. */
  nextRunAt: Date | null;
  /** Jobs in a row that failed. */
  failures: number;
  skippedAt: Date | null;
  skippedBecause: string | null;
  /** Null if the next run reads everything. */
  checkpointAt: Date | null;
  lastRun: LastRun | null;
}

/** The last job of a connector that ended and was no dry run. */
export interface LastRun {
  id: string;
  status: string;
  mode: JobMode;
  startedAt: string | null;
  completedAt: string;
  errorMessage: string | null;
  recordsRead: number;
  recordsFailed: number;
  recordsDeleted: number;
}

// Lateral, with a limit: so the look-ups stay look-ups, whatever the planner believes.
const select = `
  select c.id, c.tenant_id as "tenantId", c.type, c.name, c.priority, c.records, c.config, c.safeguard, c.schedule,
         coalesce((select names from connector_secrets x where x.tenant_id = c.tenant_id and x.connector_id = c.id), '{}') as secrets,
         c.created_at as "createdAt", c.updated_at as "updatedAt",
         case when c.planned_schedule = c.schedule and s.due_at is not null then s.next_run_at end as "nextRunAt",
         coalesce(s.failures, 0) as failures, s.skipped_at as "skippedAt", s.skipped_because as "skippedBecause",
         case when s.config_version = c.config_version then s.checkpoint_at end as "checkpointAt",
         (select jsonb_build_object('id', j.id, 'status', j.status, 'mode', j.mode, 'startedAt', j.started_at,
                   'completedAt', j.completed_at, 'errorMessage', j.error_message, 'recordsRead', j.records_read,
                   'recordsFailed', j.records_failed, 'recordsDeleted', j.records_deleted)
            from sync_jobs j where j.id = s.last_job_id and j.completed_at is not null) as "lastRun"
    from connectors c left join lateral (select * from connector_states where connector_id = c.id limit 1) s on true`;

export async function insertConnector(tx: Transaction, tenantId: string, body: ConnectorBody): Promise<ConnectorRow> {
  const id = newUuid();
  await tx.query(
    `insert into connectors (id, tenant_id, type, name, priority, records, config, safeguard, schedule)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [
      id,
      tenantId,
      body.type,
      body.name,
      body.priority,
      body.records,
      JSON.stringify(body.config),
      JSON.stringify(body.safeguard),
      jsonOf(body.schedule),
    ],
  );
  const row = await findConnector(tx, tenantId, id);
  if (!row) throw new Error('the connector was not inserted');
  return row;
}

export async function findConnector(tx: Transaction, tenantId: string, id: string): Promise<ConnectorRow | undefined> {
  const [row] = await tx.query<ConnectorRow>(
    `${select} where c.tenant_id = $1 and c.id = $2 and c.deleted_at is null`,
    [tenantId, id],
  );
  return row && complete(row);
}

/** The same, locked until the transaction ends: for a change that depends on what was. */
export async function lockConnector(tx: Transaction, tenantId: string, id: string): Promise<ConnectorRow | undefined> {
  await tx.query('select 1 from connectors where tenant_id = $1 and id = $2 for update', [tenantId, id]);
  return findConnector(tx, tenantId, id);
}

export async function listConnectors(tx: Transaction, tenantId: string, page: Page): Promise<Rows<ConnectorRow>> {
  const rows = await tx.query<ConnectorRow>(
    `${select} where c.tenant_id = $1 and c.deleted_at is null order by c.created_at, c.id limit $2 offset $3`,
    [tenantId, page.limit, page.offset],
  );
  const total = 'select count(*) from connectors where tenant_id = $1 and deleted_at is null';
  return { rows: rows.map(complete), total: await count(tx, total, [tenantId]) };
}

export async function updateConnector(
  tx: Transaction,
  tenantId: string,
  id: string,
  body: ConnectorBody,
): Promise<ConnectorRow | undefined> {
  await tx.query(
    `update connectors
        set name = $3, priority = $4, records = $5, config = $6, safeguard = $7, schedule = $8, updated_at = now(),
            config_version = config_version + (config is distinct from $6::jsonb)::integer
      where tenant_id = $1 and id = $2 and deleted_at is null`,
    [
      tenantId,
      id,
      body.name,
      body.priority,
      body.records,
      JSON.stringify(body.config),
      JSON.stringify(body.safeguard),
      jsonOf(body.schedule),
    ],
  );
  return findConnector(tx, tenantId, id);
}

/** Soft, since records of the connector still speak in their identities. False if there is none. */
export async function deleteConnector(tx: Transaction, tenantId: string, id: string): Promise<boolean> {
  const rows = await tx.query(
    `update connectors set deleted_at = now() where tenant_id = $1 and id = $2 and deleted_at is null returning id`,
    [tenantId, id],
  );
  return rows.length > 0;
}

/** What a connector of an earlier release leaves open is the default. */
function complete(row: ConnectorRow): ConnectorRow {
  return { ...row, safeguard: safeguard.parse(row.safeguard) };
}

function jsonOf(schedule: ConnectorBody['schedule']): string | null {
  return schedule ? JSON.stringify(schedule) : null;
}
