import { requests } from '@idsync/contracts';
import { findWebhook, revokePortalLinks } from '@idsync/database/gateway';
import { Controller, Delete, HttpCode, Post, Req } from '@nestjs/common';
import { ConfigService } from '@nestjs/config';
import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { KeyRing } from '../access/key-ring.service.js';
import { ownOrigin } from '../access/same-origin.js';
import { OperatorAccess } from '../audit/operator-access.decorator.js';
import type { GatewayConfig } from '../gateway-config.js';
import { orNotFound } from '../http/api-error.js';
import { PublicId, TenantParam } from '../http/public-id.pipe.js';
import { ZodBody } from '../http/zod.pipe.js';
import { issuePortalLink } from '../shared/portal-link.js';
import { TenantTransactions } from './tenant-transactions.service.js';

/** As for API keys, the role is admin: a link is a credential that leaves idsync. */
@Controller('admin/v1/tenants/:tenantId')
@OperatorAccess({ read: 'admin', write: 'admin' })
export class OperatorPortalLinksController {
  private readonly publicUrl: string | undefined;

  constructor(
    private readonly tenants: TenantTransactions,
    private readonly keyRing: KeyRing,
    config: ConfigService<GatewayConfig, true>,
  ) {
    this.publicUrl = config.get('PUBLIC_URL', { infer: true });
  }

  @Post('portal-links')
  create(
    @Req() request: FastifyRequest,
    @TenantParam() tenantId: string,
    @ZodBody(requests.portalLinkBody) body: z.infer<typeof requests.portalLinkBody>,
  ): Promise<object> {
    return this.tenants.act(tenantId, async (tx, describe) => {
      const link = await issuePortalLink(tx, tenantId, ownOrigin(request, this.publicUrl), body);
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
