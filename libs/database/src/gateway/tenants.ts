import type { Transaction } from '../database.js';
import { EventSequenceEntity } from '../entities/events.entities.js';
import { TenantEntity } from '../entities/tenant.entities.js';
import { findRow, insertRow } from '../rows.js';
import { findPage, type Page, type Rows } from './page.js';

export type TenantRow = TenantEntity;

/** Creates a tenant and its event sequence. The transaction must use the id of the new tenant. */
export async function createTenant(tx: Transaction, id: string, name: string): Promise<TenantRow> {
  const tenant = await insertRow(tx, TenantEntity, { id, name });
  await tx.manager.insert(EventSequenceEntity, { tenantId: id, last: 0 });
  return tenant;
}

export function findTenant(tx: Transaction, id: string): Promise<TenantRow | undefined> {
  return findRow(tx, TenantEntity, { where: { id } });
}

export function listTenants(tx: Transaction, page: Page): Promise<Rows<TenantRow>> {
  return findPage(tx, TenantEntity, page, { order: { createdAt: 'ASC', id: 'ASC' } });
}
