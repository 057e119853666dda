import { newUuid } from '@idsync/contracts';
import type { Database, Transaction } from '../database.js';
import { count, type Page, type Rows } from './page.js';

export interface ApiKeyRow {
  id: string;
  name: string;
  scopes: string[];
  createdAt: Date;
  expiresAt: Date | null;
  lastUsedAt: Date | null;
  revokedAt: Date | null;
}

export interface ApiKeySecret {
  tenantId: string;
  secretHash: Buffer;
  scopes: string[];
  expiresAt: Date | null;
  revokedAt: Date | null;
  /** The one connector that it pushes to; null for a client's. */
  connectorId: string | null;
}

const columns = `id, name, scopes, created_at as "createdAt", expires_at as "expiresAt", last_used_at as "lastUsedAt",
  revoked_at as "revokedAt"`;

export async function insertApiKey(
  tx: Transaction,
  tenantId: string,
  key: { name: string; scopes: readonly string[]; secretHash: Buffer; expiresAt?: Date; connectorId?: string },
): Promise<ApiKeyRow> {
  const [row] = await tx.query<ApiKeyRow>(
    `insert into api_keys (id, tenant_id, name, secret_hash, scopes, expires_at, connector_id)
     values ($1, $2, $3, $4, $5, $6, $7)
     returning ${columns}`,
    [newUuid(), tenantId, key.name, key.secretHash, key.scopes, key.expiresAt ?? null, key.connectorId ?? null],
  );
  if (!row) throw new Error('the API key was not inserted');
  return row;
}

/** Keys of clients, or those that push to a connector. */
export async function listApiKeys(
  tx: Transaction,
  tenantId: string,
  page: Page,
  connectorId: string | null = null,
): Promise<Rows<ApiKeyRow>> {
  const whose = 'from api_keys where tenant_id = $1 and connector_id is not distinct from $2';
  const rows = await tx.query<ApiKeyRow>(`select ${columns} ${whose} order by created_at, id limit $3 offset $4`, [
    tenantId,
    connectorId,
    page.limit,
    page.offset,
  ]);
  return { rows, total: await count(tx, `select count(*) ${whose}`, [tenantId, connectorId]) };
}

/** False if there is no such key of clients, or of the connector; revoking a revoked key changes nothing. */
export async function revokeApiKey(
  tx: Transaction,
  tenantId: string,
  id: string,
  connectorId: string | null = null,
): Promise<boolean> {
  const rows = await tx.query(
    `update api_keys set revoked_at = coalesce(revoked_at, now())
      where tenant_id = $1 and id = $2 and connector_id is not distinct from $3 returning id`,
    [tenantId, id, connectorId],
  );
  return rows.length > 0;
}

/** Nobody pushes to the connector any more. */
export async function revokeKeysOfConnector(tx: Transaction, tenantId: string, connectorId: string): Promise<void> {
  await tx.query(
    'update api_keys set revoked_at = coalesce(revoked_at, now()) where tenant_id = $1 and connector_id = $2',
    [tenantId, connectorId],
  );
}

/** The one look-up that does not know its tenant: the key tells it. */
export async function findApiKeySecret(database: Database, id: string): Promise<ApiKeySecret | undefined> {
  const [row] = await database.transaction(undefined, (tx) =>
    tx.query<ApiKeySecret>(
      `select tenant_id as "tenantId", secret_hash as "secretHash", scopes, expires_at as "expiresAt",
              revoked_at as "revokedAt", connector_id as "connectorId"
         from api_keys where id = $1`,
      [id],
    ),
  );
  return row;
}

export async function touchApiKeys(database: Database, ids: readonly string[]): Promise<void> {
  await database.transaction(undefined, (tx) =>
    tx.query('update api_keys set last_used_at = now() where id = any($1)', [ids]),
  );
}
