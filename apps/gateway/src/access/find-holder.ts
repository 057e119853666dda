import { timingSafeEqual } from 'node:crypto';
import { includesAccess, portalAccesses, scopesOfPortal } from '@idsync/contracts';
import type { Database } from '@idsync/database';
import { findApiKeySecret, findPortalLinkSecret, type PortalLinkSecret } from '@idsync/database/gateway';
import type { KeyKind } from './api-key.js';
import type { KeyCaller, LinkCaller, ScimCaller } from './caller.js';

export type KeyHolder = KeyCaller | LinkCaller | ScimCaller;

/** The caller that a valid key belongs to. */
interface FoundHolder {
  caller: KeyHolder;
  expiresAt?: number;
  allowedNetworks: string[] | null;
}

/** Returns undefined if the key is unknown, revoked or expired, or has another secret. */
export async function findHolder(
  database: Database,
  kind: KeyKind,
  id: string,
  hash: Buffer,
): Promise<FoundHolder | undefined> {
  return kind === 'portalLink' ? holderOfLink(database, id, hash) : holderOfKey(database, id, hash);
}

async function holderOfKey(database: Database, id: string, hash: Buffer): Promise<FoundHolder | undefined> {
  const row = await findApiKeySecret(database, id);
  if (!row || row.revokedAt !== null || !isValid(row, hash)) return undefined;
  const { tenantId, connectorId, scopes, allowedNetworks } = row;
  const held: KeyHolder = connectorId
    ? { access: 'scim-token', keyId: id, tenantId, connectorId }
    : { access: 'key', keyId: id, tenantId, scopes: new Set(scopes) };
  return { caller: { ...held, ...limitsOf(row) }, expiresAt: row.expiresAt?.getTime(), allowedNetworks };
}

async function holderOfLink(database: Database, id: string, hash: Buffer): Promise<FoundHolder | undefined> {
  const row = await findPortalLinkSecret(database, id);
  if (!row || row.isOrphaned || !isValid(row, hash)) return undefined;
  const { tenantId, webhookIds, expiresAt, issuedBy, allowedNetworks } = row;
  const caller: LinkCaller = {
    access: 'portal-link',
    keyId: id,
    tenantId,
    webhookIds: new Set(webhookIds),
    ...rightsOf(row),
    expiresAt,
    ...(issuedBy !== null && { issuedBy }),
    ...limitsOf(row),
  };
  return { caller, expiresAt: expiresAt.getTime(), allowedNetworks };
}

/** A link never exceeds what the key that issued it may do now. */
export function rightsOf({
  access,
  bodies,
  scopes,
}: Pick<PortalLinkSecret, 'access' | 'bodies' | 'scopes'>): Pick<LinkCaller, 'portal' | 'scopes'> {
  const given = scopesOfPortal(access, bodies).filter((scope) => scopes?.includes(scope) ?? true);
  const may = portalAccesses.filter(
    (each) => includesAccess(access, each) && scopesOfPortal(each, false).every((scope) => given.includes(scope)),
  );
  return { portal: may.at(-1) ?? 'read', scopes: new Set(given) };
}

function isValid(row: { secretHash: Buffer; expiresAt: Date | null }, hash: Buffer): boolean {
  return timingSafeEqual(row.secretHash, hash) && (row.expiresAt === null || row.expiresAt.getTime() > Date.now());
}

function limitsOf({ isSuspended, requestsPerMinute }: { isSuspended: boolean; requestsPerMinute: number | null }) {
  return { ...(isSuspended && { isSuspended }), ...(requestsPerMinute !== null && { requestsPerMinute }) };
}
