import { encodeId, type responses } from '@idsync/contracts';
import type { TenantDeletion, TenantRow } from '@idsync/database/gateway';

export function presentTenant(row: TenantRow): responses.Tenant {
  return {
    id: encodeId('tenant', row.id),
    name: row.name,
    created_at: row.createdAt.toISOString(),
    suspended_at: row.suspendedAt?.toISOString(),
    deletion_requested_at: row.deletionRequestedAt?.toISOString(),
  };
}

export function presentTenantDeletion(
  { id, name }: TenantRow,
  { requestedAt, table, deleted, contents }: TenantDeletion,
): responses.TenantDeletion {
  return {
    tenant_id: encodeId('tenant', id),
    name,
    requested_at: requestedAt?.toISOString(),
    rows_deleted: deleted,
    table: table ?? undefined,
    contents,
  };
}
