// SQL by hand: counts of several tables in one statement.
import type { QuotaName, TenantQuotas } from '@idsync/contracts';
import type { Transaction } from '../../database.js';
import { TenantQuotaEntity } from '../../entities/quota.entities.js';
import { findRow } from '../../rows.js';
import { countPeople } from '../../settings/tenant-settings.js';

export async function saveTenantQuotas(tx: Transaction, quotas: TenantQuotas): Promise<void> {
  await tx.manager.upsert(TenantQuotaEntity, { tenantId: tx.tenantId, quotas, updatedAt: new Date() }, ['tenantId']);
}

/** Locks the limits until the end of the transaction, so that two concurrent additions count each other. */
export async function lockTenantQuotas(tx: Transaction): Promise<TenantQuotas> {
  const row = await findRow(tx, TenantQuotaEntity, {
    where: { tenantId: tx.tenantId },
    lock: { mode: 'for_no_key_update' },
  });
  return row?.quotas ?? {};
}

/** Counts what the limits bound, except requests, which each gateway counts. */
export async function countUsage(tx: Transaction): Promise<Record<Exclude<QuotaName, 'requests_per_minute'>, number>> {
  const [counted] = await tx.query<{ connectors: number; webhooks: number }>(
    `select (select count(*)::int from connectors where tenant_id = $1 and deleted_at is null) as connectors,
            (select count(*)::int from webhooks where tenant_id = $1) as webhooks`,
    [tx.tenantId],
  );
  const { connectors = 0, webhooks = 0 } = counted ?? {};
  return { people: await countPeople(tx), connectors, webhooks };
}
