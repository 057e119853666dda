// SQL by hand: several counts in one statement, and updates of sets.
import type { Transaction } from '../../database.js';

export interface TenantContents {
  connectors: number;
  identities: number;
  users: number;
  sync_jobs: number;
  events: number;
  webhooks: number;
  api_keys: number;
}

export interface TenantDeletion {
  /** Null before a deletion is requested. */
  requestedAt: Date | null;
  /** The table that is being emptied. */
  table: string | null;
  deleted: number;
  contents: TenantContents;
}

/**
 * Suspends the tenant for good: its rows are deleted by the directory. Its keys and tokens are deleted at once, and its
 * webhooks receive nothing more. A repeated request changes nothing.
 */
export async function requestTenantDeletion(tx: Transaction, id: string): Promise<void> {
  await tx.query('insert into tenant_deletions (tenant_id) values ($1) on conflict do nothing', [id]);
  await tx.query('update tenants set suspended_at = coalesce(suspended_at, (select now())) where id = $1', [id]);
  await tx.query('delete from portal_links where tenant_id = $1', [id]);
  await tx.query('delete from api_keys where tenant_id = $1', [id]);
  await tx.query('update webhooks set active = false, updated_at = now() where tenant_id = $1 and active', [id]);
}

/** Returns the name of a tenant that is not being deleted, and locks it against other changes. */
export async function lockTenant(tx: Transaction, id: string): Promise<string | undefined> {
  const [row] = await tx.query<{ name: string }>('select name from tenants where id = $1 for update', [id]);
  return row?.name;
}

/** Counts what a tenant has, from its totals where there are some, and the progress of its deletion. */
export async function findTenantDeletion(tx: Transaction, id: string): Promise<TenantDeletion | undefined> {
  const [row] = await tx.query<Omit<TenantDeletion, 'contents'> & TenantContents>(
    `select d.requested_at as "requestedAt", d.table_name as "table", coalesce(d.deleted, 0) as deleted,
            (select count(*) from connectors c where c.tenant_id = $1) as connectors,
            ${total('identity')} as identities, ${total('user')} as users,
            (select count(*) from sync_jobs j where j.tenant_id = $1) as sync_jobs,
            coalesce((select last from event_sequences s where s.tenant_id = $1), 0) as events,
            (select count(*) from webhooks w where w.tenant_id = $1) as webhooks,
            (select count(*) from api_keys k where k.tenant_id = $1) as api_keys
       from tenants t left join tenant_deletions d on d.tenant_id = $1 where t.id = $1`,
    [id],
  );
  if (!row) return undefined;
  const { requestedAt, table, deleted, ...contents } = row;
  return { requestedAt, table, deleted, contents };
}

const total = (resource: string) =>
  `coalesce((select sum(count)::bigint from directory_counters n where n.tenant_id = $1 and n.resource = '${resource}'), 0)`;
