import { clientRoutes } from '@idsync/contracts';
import { Database } from '@idsync/database';
import { findWebhook, revokePortalLinks } from '@idsync/database/gateway';
import { Controller, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { CurrentKey } from '../access/access.decorator.js';
import type { KeyCaller } from '../access/caller.js';
import { KeyRing } from '../access/key-ring.service.js';
import { OwnOrigin } from '../access/own-origin.pipe.js';
import { AuditLog } from '../audit/audit-log.service.js';
import { describeAct } from '../audit/describe-act.js';
import { orNotFound } from '../http/api-error.js';
import { Handles, type Input } from '../http/handles.decorator.js';
import { issuePortalLink } from './portal-link.js';

/** With these routes a client lets the users of its product into the subscriber portal. */
@Controller()
export class PortalLinksController {
  constructor(
    private readonly database: Database,
    private readonly audit: AuditLog,
    private readonly keyRing: KeyRing,
  ) {}

  @Handles(clientRoutes.createPortalLink)
  create(
    { body }: Input<typeof clientRoutes.createPortalLink>,
    @Req() request: FastifyRequest,
    @OwnOrigin() origin: string,
    @CurrentKey() key: KeyCaller,
  ) {
    const { tenantId } = key;
    return this.database.transaction(tenantId, async (tx) => {
      const link = await issuePortalLink(tx, tenantId, origin, body, key);
      const { url: _, ...after } = link;
      await this.audit.append(tx, tenantId, describeAct(request, { resource: link.id, after }));
      return link;
    });
  }

  @Handles(clientRoutes.revokeWebhookPortalLinks)
  async revoke(
    { id: webhookId }: Input<typeof clientRoutes.revokeWebhookPortalLinks>,
    @Req() request: FastifyRequest,
    @CurrentKey() { tenantId }: KeyCaller,
  ): Promise<void> {
    await this.database.transaction(tenantId, async (tx) => {
      orNotFound(await findWebhook(tx, tenantId, webhookId));
      const revoked = await revokePortalLinks(tx, tenantId, webhookId);
      await this.audit.append(tx, tenantId, describeAct(request, { after: { revoked } }));
    });
    this.keyRing.forgetLinks(tenantId);
  }
}
