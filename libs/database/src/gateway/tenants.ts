import { newUuid } from '@idsync/contracts';
import type { Transaction } from '../database.js';
import { count, type Page, type Rows } from './page.js';

export interface TenantRow {
  id: string;
  name: string;
  createdAt: Date;
}

const columns = `id, name, created_at as "createdAt"`;

/** A tenant and its event sequence: both, or neither. */
export async function createTenant(tx: Transaction, name: string): Promise<TenantRow> {
  const [tenant] = await tx.query<TenantRow>(`insert into tenants (id, name) values ($1, $2) returning ${columns}`, [
    newUuid(),
    name,
  ]);
  if (!tenant) throw new Error('the tenant was not inserted');
  // The sequence is a row of that tenant, and row-level security knows no other way to write it.
  await tx.query(`select set_config('idsync.tenant_id', $1, true)`, [tenant.id]);
  await tx.query('insert into event_sequences (tenant_id, last) values ($1, 0)', [tenant.id]);
  return tenant;
}

export async function findTenant(tx: Transaction, id: string): Promise<TenantRow | undefined> {
  const [tenant] = await tx.query<TenantRow>(`select ${columns} from tenants where id = $1`, [id]);
  return tenant;
}

export async function listTenants(tx: Transaction, page: Page): Promise<Rows<TenantRow>> {
  const rows = await tx.query<TenantRow>(`select ${columns} from tenants order by created_at, id limit $1 offset $2`, [
    page.limit,
    page.offset,
  ]);
  return { rows, total: await count(tx, 'select count(*) from tenants', []) };
}
