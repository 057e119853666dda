import { adminRoutes, clientRoutes } from '@idsync/contracts';
import { findWebhook, revokePortalLinks } from '@idsync/database/gateway';
import { Controller } from '@nestjs/common';
import { KeyRing } from '../access/key-ring.service.js';
import { OwnOrigin } from '../access/own-origin.pipe.js';
import { currentCaller } from '../audit/request-context.js';
import { orNotFound } from '../http/api-error.js';
import { Handles, type Input } from '../http/handles.decorator.js';
import { TenantTransactions } from '../tenants/tenant-transactions.service.js';
import { issuePortalLink } from './portal-link.js';

/**
 * With these routes a client lets the users of its product into the subscriber portal. As for API keys, operators need the
 * role admin: a link is a credential that leaves idsync.
 */
@Controller()
export class PortalLinksController {
  constructor(
    private readonly tenants: TenantTransactions,
    private readonly keyRing: KeyRing,
  ) {}

  @Handles(clientRoutes.createPortalLink, adminRoutes.createPortalLink)
  create({ tenantId, body }: Input<typeof adminRoutes.createPortalLink>, @OwnOrigin() origin: string) {
    const caller = currentCaller();
    const key = caller.access === 'key' ? caller : undefined;
    return this.tenants.act(tenantId, async (tx, describe) => {
      const link = await issuePortalLink(tx, origin, body, key);
      const { url: _, ...after } = link;
      describe({ resource: link.id, after });
      return link;
    });
  }

  @Handles(clientRoutes.revokeWebhookPortalLinks, adminRoutes.revokeWebhookPortalLinks)
  async revoke({ tenantId, webhookId }: Input<typeof adminRoutes.revokeWebhookPortalLinks>): Promise<void> {
    await this.tenants.act(tenantId, async (tx, describe) => {
      orNotFound(await findWebhook(tx, webhookId));
      describe({ after: { revoked: await revokePortalLinks(tx, webhookId) } });
    });
    this.keyRing.forgetLinks(tenantId);
  }
}
