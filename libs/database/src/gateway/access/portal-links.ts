// SQL by hand: the look-up of a request, an expiry that depends on a key, and a bounded count.
import { newUuid, type PortalAccess } from '@idsync/contracts';
import { uuids } from '../../arrays.js';
import { deleteFound } from '../../by-tenant.js';
import type { Database, Transaction } from '../../database.js';

/** A link with its secret, and the present state of the key that issued it. */
export interface PortalLinkSecret {
  tenantId: string;
  secretHash: Buffer;
  webhookIds: string[];
  access: PortalAccess;
  bodies: boolean;
  /** Not after the expiry of the issuing key. */
  expiresAt: Date;
  issuedBy: string | null;
  /** The issuing key is revoked or deleted. */
  isOrphaned: boolean;
  /** Scopes and networks of the issuing key; null if an operator has issued the link. */
  scopes: string[] | null;
  allowedNetworks: string[] | null;
  isSuspended: boolean;
  requestsPerMinute: number | null;
}

export interface NewPortalLink {
  secretHash: Buffer;
  webhookIds: readonly string[];
  access: PortalAccess;
  bodies: boolean;
  issuedBy?: string;
  seconds: number;
}

/** Inserts a link that expires after `seconds`, or earlier with the key that issued it. */
export async function insertPortalLink(
  tx: Transaction,
  { secretHash, webhookIds, access, bodies, issuedBy, seconds }: NewPortalLink,
): Promise<{ id: string; expiresAt: Date }> {
  const [row] = await tx.query<{ id: string; expiresAt: Date }>(
    `insert into portal_links (id, tenant_id, secret_hash, webhook_ids, access, bodies, issued_by, expires_at)
     select $1, $2, $3, $4, $5, $6, $7,
            least(now() + $8 * interval '1 second', (select expires_at from api_keys where tenant_id = $2 and id = $7))
     returning id, expires_at as "expiresAt"`,
    [newUuid(), tx.tenantId, secretHash, uuids(webhookIds), access, bodies, issuedBy ?? null, seconds],
  );
  if (!row) throw new Error('the insert of a portal link returned no row');
  return row;
}

/** Returns whether the tenant has `limit` valid links or more. */
export async function hasPortalLinks(tx: Transaction, limit: number): Promise<boolean> {
  return tx.any('select from portal_links where tenant_id = $1 and expires_at > now() offset $2 limit 1', [
    tx.tenantId,
    limit - 1,
  ]);
}

/** Returns how many of these webhooks exist. */
export async function countWebhooks(tx: Transaction, ids: readonly string[]): Promise<number> {
  return tx.count('select count(*) from webhooks where tenant_id = $1 and id = any($2)', [tx.tenantId, uuids(ids)]);
}

/** Deletes all links that show the webhook. Returns their number. */
export async function revokePortalLinks(tx: Transaction, webhookId: string): Promise<number> {
  const deleted = await tx.query(
    'delete from portal_links where tenant_id = $1 and $2 = any(webhook_ids) returning id',
    [tx.tenantId, webhookId],
  );
  return deleted.length;
}

/** Searches across tenants, because the link determines the tenant. */
export async function findPortalLinkSecret(database: Database, id: string): Promise<PortalLinkSecret | undefined> {
  const [row] = await database.acrossTenants((tx) =>
    tx.query<PortalLinkSecret>(
      `select l.tenant_id as "tenantId", l.secret_hash as "secretHash", l.webhook_ids as "webhookIds", l.access, l.bodies,
              least(l.expires_at, k.expires_at) as "expiresAt", l.issued_by as "issuedBy",
              l.issued_by is not null and (k.id is null or k.revoked_at is not null) as "isOrphaned",
              k.scopes, k.allowed_networks as "allowedNetworks",
              (select (quotas ->> 'requests_per_minute')::int from tenant_quotas q where q.tenant_id = l.tenant_id)
                as "requestsPerMinute",
              exists (select from tenants t where t.id = l.tenant_id and t.suspended_at is not null) as "isSuspended"
         from portal_links l left join api_keys k on k.id = l.issued_by and k.tenant_id = l.tenant_id
        where l.id = $1`,
      [id],
    ),
  );
  return row;
}

/** Deletes expired links of all tenants. Returns their number. */
export function deleteExpiredPortalLinks(database: Database, limit: number): Promise<number> {
  return deleteFound(database, 'portal_links', 'where expires_at < now() order by expires_at, id limit $1', [limit]);
}
