// SQL by hand: the lookup of every request, recently used keys, and an update of many keys at once.
import { newUuid } from '@idsync/contracts';
import { IsNull } from 'typeorm';
import { uuids } from '../../arrays.js';
import { eachTenant } from '../../by-tenant.js';
import type { Database, Transaction } from '../../database.js';
import { ApiKeyEntity } from '../../entities/gateway.entities.js';
import { findRow, insertRow } from '../../rows.js';
import { findPage, type Page, type Rows } from '../page.js';

export type ApiKeyRow = Omit<ApiKeyEntity, 'secretHash'>;
/** `connectorId` is the connector that the key may push to; null for a client's key. */
export type ApiKeySecret = Pick<
  ApiKeyEntity,
  'tenantId' | 'secretHash' | 'scopes' | 'expiresAt' | 'revokedAt' | 'connectorId' | 'allowedNetworks'
> & { isSuspended: boolean; requestsPerMinute: number | null };

const revoked = { revokedAt: () => 'coalesce(revoked_at, (select now()))' };

export function insertApiKey(
  tx: Transaction,
  key: {
    name: string;
    scopes: readonly string[];
    secretHash: Buffer;
    expiresAt?: Date;
    connectorId?: string;
    allowedNetworks?: string[];
  },
): Promise<ApiKeyRow> {
  return insertRow(tx, ApiKeyEntity, { ...key, id: newUuid(), tenantId: tx.tenantId, scopes: [...key.scopes] });
}

/** Lists the keys of clients, or of one connector. */
export function listApiKeys(tx: Transaction, page: Page, connectorId: string | null = null): Promise<Rows<ApiKeyRow>> {
  return findPage(tx, ApiKeyEntity, page, {
    where: { tenantId: tx.tenantId, connectorId: connectorId ?? IsNull() },
    order: { createdAt: 'ASC', id: 'ASC' },
  });
}

/** Finds a key of a client. */
export function findApiKey(tx: Transaction, id: string): Promise<ApiKeyRow | undefined> {
  return findRow(tx, ApiKeyEntity, { where: { tenantId: tx.tenantId, id, connectorId: IsNull() } });
}

/** Finds a key of a client, and locks it. */
export function lockApiKey(tx: Transaction, id: string): Promise<ApiKeyRow | undefined> {
  const where = { tenantId: tx.tenantId, id, connectorId: IsNull() };
  return findRow(tx, ApiKeyEntity, { where, lock: { mode: 'pessimistic_write' } });
}

/** Changes a key of a client. */
export async function updateApiKey(
  tx: Transaction,
  { tenantId, id }: ApiKeyRow,
  patch: Partial<Pick<ApiKeyRow, 'name' | 'scopes' | 'expiresAt' | 'allowedNetworks'>>,
): Promise<void> {
  if (Object.keys(patch).length > 0) await tx.manager.update(ApiKeyEntity, { tenantId, id }, patch);
}

/**
 * Returns false if the key does not exist among those of clients or of the connector. Revoking a revoked key changes
 * nothing.
 */
export async function revokeApiKey(tx: Transaction, id: string, connectorId: string | null = null): Promise<boolean> {
  const key = { tenantId: tx.tenantId, id, connectorId: connectorId ?? IsNull() };
  const { affected } = await tx.manager.update(ApiKeyEntity, key, revoked);
  return affected === 1;
}

/** Revokes all keys that push to the connector. */
export async function revokeKeysOfConnector(tx: Transaction, connectorId: string): Promise<void> {
  await tx.manager.update(ApiKeyEntity, { tenantId: tx.tenantId, connectorId }, revoked);
}

/** Searches across tenants, because the key determines the tenant. */
export async function findApiKeySecret(database: Database, id: string): Promise<ApiKeySecret | undefined> {
  const [row] = await database.acrossTenants((tx) =>
    tx.query<ApiKeySecret>(
      `select tenant_id as "tenantId", secret_hash as "secretHash", scopes, expires_at as "expiresAt",
              revoked_at as "revokedAt", connector_id as "connectorId", allowed_networks as "allowedNetworks",
              (select (quotas ->> 'requests_per_minute')::int from tenant_quotas q where q.tenant_id = k.tenant_id)
                as "requestsPerMinute",
              exists (select from tenants t where t.id = k.tenant_id and t.suspended_at is not null) as "isSuspended"
         from api_keys k where id = $1`,
      [id],
    ),
  );
  return row;
}

/** Lists valid keys of all tenants, the most recently used first. */
export async function findLiveApiKeys(
  database: Database,
  limit: number,
): Promise<{ id: string; secretHash: Buffer }[]> {
  return database.acrossTenants((tx) =>
    tx.query(
      `select id, secret_hash as "secretHash" from api_keys
        where revoked_at is null and (expires_at is null or expires_at > now())
        order by last_used_at desc nulls last, id desc limit $1`,
      [limit],
    ),
  );
}

export async function touchApiKeys(
  database: Database,
  keys: readonly { keyId: string; tenantId: string }[],
): Promise<void> {
  await eachTenant(keys, async (tenantId, own) => {
    await database.transaction(tenantId, (tx) =>
      tx.query('update api_keys set last_used_at = now() where tenant_id = $1 and id = any($2)', [
        tenantId,
        uuids(own.map(({ keyId }) => keyId)),
      ]),
    );
  });
}
