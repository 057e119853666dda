import { type ConnectorBody, newUuid, type Safeguard, safeguard } from '@idsync/contracts';
import type { Transaction } from '../database.js';
import { count, type Page, type Rows } from './page.js';

export interface ConnectorRow {
  id: string;
  tenantId: string;
  type: string;
  name: string;
  priority: number;
  records: string;
  config: Record<string, unknown>;
  safeguard: Safeguard;
  /** The names of its secrets. */
  secrets: string[];
  createdAt: Date;
  updatedAt: Date;
}

const columns = `id, tenant_id as "tenantId", type, name, priority, records, config, safeguard, created_at as "createdAt",
  updated_at as "updatedAt",
  coalesce((select names from connector_secrets s where s.tenant_id = connectors.tenant_id and s.connector_id = connectors.id), '{}')
    as secrets`;

export async function insertConnector(tx: Transaction, tenantId: string, body: ConnectorBody): Promise<ConnectorRow> {
  const [row] = await tx.query<ConnectorRow>(
    `insert into connectors (id, tenant_id, type, name, priority, records, config, safeguard)
     values ($1, $2, $3, $4, $5, $6, $7, $8) returning ${columns}`,
    [
      newUuid(),
      tenantId,
      body.type,
      body.name,
      body.priority,
      body.records,
      JSON.stringify(body.config),
      JSON.stringify(body.safeguard),
    ],
  );
  if (!row) throw new Error('the connector was not inserted');
  return complete(row);
}

export async function findConnector(tx: Transaction, tenantId: string, id: string): Promise<ConnectorRow | undefined> {
  const [row] = await tx.query<ConnectorRow>(
    `select ${columns} from connectors where tenant_id = $1 and id = $2 and deleted_at is null`,
    [tenantId, id],
  );
  return row && complete(row);
}

/** The same, locked until the transaction ends: for a change that depends on what was. */
export async function lockConnector(tx: Transaction, tenantId: string, id: string): Promise<ConnectorRow | undefined> {
  const [row] = await tx.query<ConnectorRow>(
    `select ${columns} from connectors where tenant_id = $1 and id = $2 and deleted_at is null for update`,
    [tenantId, id],
  );
  return row && complete(row);
}

export async function listConnectors(tx: Transaction, tenantId: string, page: Page): Promise<Rows<ConnectorRow>> {
  const rows = await tx.query<ConnectorRow>(
    `select ${columns} from connectors where tenant_id = $1 and deleted_at is null
      order by created_at, id limit $2 offset $3`,
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
  const [row] = await tx.query<ConnectorRow>(
    `update connectors set name = $3, priority = $4, records = $5, config = $6, safeguard = $7, updated_at = now(),
            config_version = config_version + (config is distinct from $6::jsonb)::integer
      where tenant_id = $1 and id = $2 and deleted_at is null returning ${columns}`,
    [tenantId, id, body.name, body.priority, body.records, JSON.stringify(body.config), JSON.stringify(body.safeguard)],
  );
  return row && complete(row);
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
