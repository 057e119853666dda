import { clientRoutes } from '@idsync/contracts';
import { Database } from '@idsync/database';
import { deleteWebhook, listWebhooks } from '@idsync/database/gateway';
import { Controller, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { CurrentSubscriber } from '../access/access.decorator.js';
import type { Subscriber } from '../access/caller.js';
import { LinkActs } from '../audit/link-acts.service.js';
import { orNotFound } from '../http/api-error.js';
import { Handles, type Input } from '../http/handles.decorator.js';
import { presentWebhook } from '../present.js';
import { GatewaySettings } from '../shared/gateway-settings.service.js';
import { changeWebhook, createWebhook } from './change-webhook.js';
import { presentLinkCaller } from './portal-link.js';
import { rotateSigningSecret } from './signing-secret.js';

@Controller()
export class WebhooksController {
  constructor(
    private readonly database: Database,
    private readonly settings: GatewaySettings,
    private readonly linkActs: LinkActs,
  ) {}

  @Handles(clientRoutes.createWebhook)
  async create({ tenantId, body }: Input<typeof clientRoutes.createWebhook>) {
    const { webhook, secret } = await this.database.transaction(tenantId, (tx) =>
      createWebhook(tx, this.settings, tenantId, body),
    );
    return { ...presentWebhook(webhook), signing_secret: secret };
  }

  @Handles(clientRoutes.listWebhooks)
  async list(_input: Input<typeof clientRoutes.listWebhooks>, @CurrentSubscriber() caller: Subscriber) {
    const { tenantId } = caller;
    const all = await this.database.transaction(tenantId, (tx) => listWebhooks(tx, tenantId));
    if (caller.access === 'key') return { data: all.map(presentWebhook), total: all.length };
    const shown = all.filter(({ id }) => caller.webhookIds.has(id));
    return { data: shown.map(presentWebhook), total: shown.length, portal: presentLinkCaller(caller) };
  }

  @Handles(clientRoutes.updateWebhook)
  async update(
    { body: patch, id: webhookId }: Input<typeof clientRoutes.updateWebhook>,
    @Req() request: FastifyRequest,
    @CurrentSubscriber() caller: Subscriber,
  ) {
    const { tenantId } = caller;
    const keyId = caller.access === 'key' ? caller.keyId : caller.issuedBy;
    const { after } = await this.database.transaction(tenantId, async (tx) => {
      const changed = await changeWebhook(tx, this.settings, { tenantId, webhookId, patch, keyId });
      await this.linkActs.record(tx, request);
      return changed;
    });
    return presentWebhook(after);
  }

  @Handles(clientRoutes.deleteWebhook)
  async delete({ tenantId, id: webhookId }: Input<typeof clientRoutes.deleteWebhook>): Promise<void> {
    orNotFound(await this.database.transaction(tenantId, (tx) => deleteWebhook(tx, tenantId, webhookId)));
  }

  @Handles(clientRoutes.rotateWebhookSecret)
  async rotate(
    { tenantId, body: { overlap_hours: overlapHours }, id: webhookId }: Input<typeof clientRoutes.rotateWebhookSecret>,
    @Req() request: FastifyRequest,
  ) {
    const rotated = await this.database.transaction(tenantId, async (tx) => {
      await this.linkActs.record(tx, request);
      return rotateSigningSecret(tx, this.settings, { tenantId, webhookId, overlapHours });
    });
    return orNotFound(rotated);
  }
}
