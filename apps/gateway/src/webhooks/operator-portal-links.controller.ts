import { adminRoutes } from '@idsync/contracts';
import { findWebhook, revokePortalLinks } from '@idsync/database/gateway';
import { Controller } from '@nestjs/common';
import { KeyRing } from '../access/key-ring.service.js';
import { OwnOrigin } from '../access/own-origin.pipe.js';
import { orNotFound } from '../http/api-error.js';
import { Handles, type Input } from '../http/handles.decorator.js';
import { TenantTransactions } from '../tenants/tenant-transactions.service.js';
import { issuePortalLink } from './portal-link.js';

/** As for API keys, the role is admin: a link is a credential that leaves idsync. */
@Controller()
export class OperatorPortalLinksController {
  constructor(
    private readonly tenants: TenantTransactions,
    private readonly keyRing: KeyRing,
  ) {}

  @Handles(adminRoutes.createPortalLink)
  create({ tenantId, body }: Input<typeof adminRoutes.createPortalLink>, @OwnOrigin() origin: string) {
    return this.tenants.act(tenantId, async (tx, describe) => {
      const link = await issuePortalLink(tx, tenantId, origin, body);
      const { url: _, ...after } = link;
      describe({ resource: link.id, after });
      return link;
    });
  }

  @Handles(adminRoutes.revokeWebhookPortalLinks)
  async revoke({ tenantId, webhookId }: Input<typeof adminRoutes.revokeWebhookPortalLinks>): Promise<void> {
    await this.tenants.act(tenantId, async (tx, describe) => {
      orNotFound(await findWebhook(tx, tenantId, webhookId));
      describe({ after: { revoked: await revokePortalLinks(tx, tenantId, webhookId) } });
    });
    this.keyRing.forgetLinks(tenantId);
  }
}
