import { encodeId, type responses } from '@idsync/contracts';
import type { TenantRow } from '@idsync/database/gateway';

export function presentTenant(row: TenantRow): responses.Tenant {
  return {
    id: encodeId('tenant', row.id),
    name: row.name,
    created_at: row.createdAt.toISOString(),
    suspended_at: row.suspendedAt?.toISOString(),
    deletion_requested_at: row.deletionRequestedAt?.toISOString(),
  };
}
