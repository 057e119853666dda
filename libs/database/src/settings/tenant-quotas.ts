// SQL by hand: the directory reads it for every batch.
import type { TenantQuotas } from '@idsync/contracts';
import type { Transaction } from '../database.js';

/** Returns the limits of the tenant; an absent one is unlimited. */
export async function findTenantQuotas(tx: Transaction, tenantId: string): Promise<TenantQuotas> {
  const [row] = await tx.query<{ quotas: TenantQuotas }>('select quotas from tenant_quotas where tenant_id = $1', [
    tenantId,
  ]);
  return row?.quotas ?? {};
}

/** Counts the users that are not deleted. */
export async function countPeople(tx: Transaction, tenantId: string): Promise<number> {
  const [row] = await tx.query<{ count: number }>(
    `select coalesce(sum(count), 0)::int as count from directory_counters
      where tenant_id = $1 and resource = 'user' and status <> 'deleted'`,
    [tenantId],
  );
  return row?.count ?? 0;
}

/** Counts all identities, deleted ones too. */
export async function countIdentities(tx: Transaction, tenantId: string): Promise<number> {
  const [row] = await tx.query<{ count: number }>(
    `select coalesce(sum(count), 0)::int as count from directory_counters where tenant_id = $1 and resource = 'identity'`,
    [tenantId],
  );
  return row?.count ?? 0;
}

/** Counts the people with access: active identities, of which there are more than users where machines have their own. */
export async function countActivePeople(tx: Transaction, tenantId: string): Promise<number> {
  const [row] = await tx.query<{ count: number }>(
    `select least(coalesce(sum(count) filter (where resource = 'identity' and status = 'active'), 0),
                  coalesce(sum(count) filter (where resource = 'user' and status <> 'deleted'), 0))::int as count
       from directory_counters where tenant_id = $1`,
    [tenantId],
  );
  return row?.count ?? 0;
}
