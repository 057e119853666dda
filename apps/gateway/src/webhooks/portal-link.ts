import { encodeId, portalLinkLimits, type requests, type responses, scopesOfPortal } from '@idsync/contracts';
import type { Transaction } from '@idsync/database';
import { countWebhooks, hasPortalLinks, insertPortalLink } from '@idsync/database/gateway';
import type { z } from 'zod';
import { formatApiKey, newSecret } from '../access/api-key.js';
import type { KeyCaller, LinkCaller } from '../access/caller.js';
import { ApiError, orNotFound } from '../http/api-error.js';
import { uuidOf } from '../http/ids.js';

type PortalLinkBody = z.infer<typeof requests.portalLinkBody>;

/** Seconds until some links have probably expired. */
const retryAfterSeconds = 60;

/**
 * Issues a link to the subscriber portal at `origin`. Throws a 403 for rights that the issuing key lacks, a 404 for an unknown
 * webhook, and a 429 if the tenant has too many valid links.
 */
export async function issuePortalLink(
  tx: Transaction,
  origin: string,
  body: PortalLinkBody,
  key?: KeyCaller,
): Promise<responses.PortalLink> {
  const { access, bodies } = grantedRights(body, key?.scopes);
  const webhookIds = body.webhook_ids.map((id) => uuidOf('webhook', id));
  orNotFound((await countWebhooks(tx, webhookIds)) === webhookIds.length);
  const { ofTenant } = portalLinkLimits;
  if (await hasPortalLinks(tx, ofTenant))
    throw new ApiError(429, `a tenant can have at most ${ofTenant} valid portal links`, retryAfterSeconds);
  const { secret, hash } = newSecret();
  const { id, expiresAt } = await insertPortalLink(tx, {
    secretHash: hash,
    webhookIds,
    access,
    bodies,
    seconds: body.expires_in,
    ...(key && { issuedBy: key.keyId }),
  });
  return {
    id: encodeId('portalLink', id),
    // A fragment is sent to no server, so the credential enters neither a log nor a Referer.
    url: `${origin}/portal/#${formatApiKey(id, secret, 'portalLink')}`,
    webhook_ids: body.webhook_ids,
    access,
    bodies,
    expires_at: expiresAt.toISOString(),
  };
}

/** Chooses what is absent, and throws a 403 for what the scopes of the key do not include; operators have no scopes. */
export function grantedRights(
  { access, bodies }: Pick<PortalLinkBody, 'access' | 'bodies'>,
  scopes?: ReadonlySet<string>,
): Pick<responses.PortalLink, 'access' | 'bodies'> {
  const has = (scope: string) => scopes?.has(scope) ?? true;
  const granted = {
    access: access ?? (has('webhooks:write') ? 'send' : 'read'),
    bodies: bodies ?? has('events:read'),
  };
  const missing = scopesOfPortal(granted.access, granted.bodies).find((scope) => !has(scope));
  if (missing) throw new ApiError(403, `the key lacks the scope ${missing}, which the link would need`);
  return granted;
}

/** Presents the rights and the expiry of a link to its holder. */
export function presentLinkCaller({ portal, scopes, expiresAt }: LinkCaller): responses.WebhookList['portal'] {
  return { access: portal, bodies: scopes.has('events:read'), expires_at: expiresAt.toISOString() };
}
