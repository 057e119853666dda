import { encodeId, type responses } from '@idsync/contracts';
import type { Transaction } from '@idsync/database';
import { findTenant, findTenantDeletion, type TenantRow } from '@idsync/database/gateway';
import { badRequest, orNotFound } from '../http/api-error.js';

/** Returns the tenant. Throws a 400 if it does not have this name. */
export async function requireName(tx: Transaction, name: string): Promise<TenantRow> {
  const tenant = orNotFound(await findTenant(tx, tx.tenantId));
  if (name === tenant.name) return tenant;
  throw badRequest(`name must be the name of the tenant, ${JSON.stringify(tenant.name)}, got ${JSON.stringify(name)}`);
}

/** Counts what a deletion would remove; once it is requested, shows its progress. */
export async function showDeletion(tx: Transaction): Promise<responses.TenantDeletion> {
  const { tenantId } = tx;
  const { name } = orNotFound(await findTenant(tx, tenantId));
  const { requestedAt, table, deleted, contents } = orNotFound(await findTenantDeletion(tx, tenantId));
  return {
    tenant_id: encodeId('tenant', tenantId),
    name,
    requested_at: requestedAt?.toISOString(),
    rows_deleted: deleted,
    table: table ?? undefined,
    contents,
  };
}
