import { requests } from '@idsync/contracts';
import { findWebhook, revokePortalLinks } from '@idsync/database/gateway';
import { Controller, Delete, HttpCode, Post } from '@nestjs/common';
import type { z } from 'zod';
import { KeyRing } from '../access/key-ring.service.js';
import { OwnOrigin } from '../access/own-origin.pipe.js';
import { OperatorAccess } from '../audit/operator-access.decorator.js';
import { orNotFound } from '../http/api-error.js';
import { PublicId, TenantParam } from '../http/public-id.pipe.js';
import { ZodBody } from '../http/zod.pipe.js';
import { issuePortalLink } from '../shared/portal-link.js';
import { TenantTransactions } from './tenant-transactions.service.js';

/** As for API keys, the role is admin: a link is a credential that leaves idsync. */
@Controller('admin/v1/tenants/:tenantId')
@OperatorAccess()
export class OperatorPortalLinksController {
  constructor(
    private readonly tenants: TenantTransactions,
    private readonly keyRing: KeyRing,
  ) {}

  @Post('portal-links')
  create(
    @OwnOrigin() origin: string,
    @TenantParam() tenantId: string,
    @ZodBody(requests.portalLinkBody) body: z.infer<typeof requests.portalLinkBody>,
  ): Promise<object> {
    return this.tenants.act(tenantId, async (tx, describe) => {
      const link = await issuePortalLink(tx, tenantId, origin, body);
      const { url: _, ...after } = link;
      describe({ resource: link.id, after });
      return link;
    });
  }

  @Delete('webhooks/:webhookId/portal-links')
  @HttpCode(204)
  async revoke(@TenantParam() tenantId: string, @PublicId('webhook', 'webhookId') webhookId: string): Promise<void> {
    await this.tenants.act(tenantId, async (tx, describe) => {
      orNotFound(await findWebhook(tx, tenantId, webhookId));
      describe({ after: { revoked: await revokePortalLinks(tx, tenantId, webhookId) } });
    });
    this.keyRing.forgetLinks(tenantId);
  }
}
