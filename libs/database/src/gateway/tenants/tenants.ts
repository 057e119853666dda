// SQL by hand: an update that depends on the present value, and counts beside it.
import type { Transaction } from '../../database.js';
import { EventSequenceEntity } from '../../entities/events.entities.js';
import { TenantEntity } from '../../entities/tenant.entities.js';
import { insertRow } from '../../rows.js';
import type { Page, Rows } from '../page.js';

/** `deletionRequestedAt` is null unless the rows of the tenant are being deleted. */
export type TenantRow = TenantEntity & { deletionRequestedAt: Date | null };

const shown = `id, name, created_at as "createdAt", suspended_at as "suspendedAt",
  (select requested_at from tenant_deletions d where d.tenant_id = tenants.id) as "deletionRequestedAt"`;

/** Creates a tenant and its event sequence. The transaction must use the id of the new tenant. */
export async function createTenant(tx: Transaction, id: string, name: string): Promise<TenantRow> {
  const tenant = await insertRow(tx, TenantEntity, { id, name });
  await tx.manager.insert(EventSequenceEntity, { tenantId: id, last: 0 });
  return { ...tenant, deletionRequestedAt: null };
}

export async function findTenant(tx: Transaction, id: string): Promise<TenantRow | undefined> {
  return tx.row<TenantRow>(`select ${shown} from tenants where id = $1`, [id]);
}

/** Lists all tenants, or those with these ids. */
export async function listTenants(
  tx: Transaction,
  { limit, offset }: Page,
  ids?: readonly string[],
): Promise<Rows<TenantRow>> {
  const which = `from tenants where $1::uuid[] is null or id = any($1)`;
  const only = ids ? [...ids] : null;
  const rows = await tx.query<TenantRow>(`select ${shown} ${which} order by created_at, id limit $2 offset $3`, [
    only,
    limit,
    offset,
  ]);
  return { rows, total: await tx.count(`select count(*) ${which}`, [only]) };
}

/** Changes the given settings. A suspension keeps the time at which it began, and a deletion cannot be resumed. */
export async function updateTenant(
  tx: Transaction,
  id: string,
  { name, suspended }: { name?: string; suspended?: boolean },
): Promise<TenantRow | undefined> {
  const rows = await tx.query(
    `update tenants set name = coalesce($2, name),
            suspended_at = case when $3 then coalesce(suspended_at, now()) when not $3 then null else suspended_at end
      where id = $1 and not exists (select from tenant_deletions where tenant_id = $1) returning id`,
    [id, name ?? null, suspended ?? null],
  );
  return rows.length > 0 ? findTenant(tx, id) : undefined;
}
