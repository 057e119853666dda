import type { TenantQuotas } from '@idsync/contracts';
import { entity, jsonb, type RowOf, timestamptz, uuid } from './entity.js';

/** Limits of a tenant. */
export const TenantQuotaEntity = entity('tenant_quotas', {
  tenantId: uuid({ primary: true }),
  quotas: jsonb<TenantQuotas>(),
  updatedAt: timestamptz(),
});
export type TenantQuotaEntity = RowOf<typeof TenantQuotaEntity>;
