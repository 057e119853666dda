import { requests } from '@idsync/contracts';
import { Database } from '@idsync/database';
import { deleteWebhook, listWebhooks } from '@idsync/database/gateway';
import { Controller, Delete, Get, HttpCode, Patch, Post, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { Access, CurrentSubscriber, CurrentTenant } from '../access/access.decorator.js';
import type { Subscriber } from '../access/caller.js';
import { LinkActs } from '../audit/link-acts.service.js';
import { orNotFound } from '../http/api-error.js';
import { PublicId } from '../http/public-id.pipe.js';
import { ZodBody } from '../http/zod.pipe.js';
import { presentWebhook } from '../present.js';
import { changeWebhook, createWebhook } from '../shared/change-webhook.js';
import { GatewaySettings } from '../shared/gateway-settings.service.js';
import { presentLinkCaller } from '../shared/portal-link.js';
import { rotateSigningSecret } from '../shared/signing-secret.js';

@Controller('v1/webhooks')
@Access('key')
export class WebhooksController {
  constructor(
    private readonly database: Database,
    private readonly settings: GatewaySettings,
    private readonly linkActs: LinkActs,
  ) {}

  @Post()
  async create(
    @CurrentTenant() tenantId: string,
    @ZodBody(requests.webhookBody) body: z.infer<typeof requests.webhookBody>,
  ): Promise<object> {
    const { webhook, secret } = await this.database.transaction(tenantId, (tx) =>
      createWebhook(tx, this.settings, tenantId, body),
    );
    return { ...presentWebhook(webhook), signing_secret: secret };
  }

  @Get()
  async list(@CurrentSubscriber() caller: Subscriber): Promise<object> {
    const { tenantId } = caller;
    const all = await this.database.transaction(tenantId, (tx) => listWebhooks(tx, tenantId));
    if (caller.access === 'key') return { data: all.map(presentWebhook), total: all.length };
    const shown = all.filter(({ id }) => caller.webhookIds.has(id));
    return { data: shown.map(presentWebhook), total: shown.length, portal: presentLinkCaller(caller) };
  }

  @Patch(':id')
  async update(
    @Req() request: FastifyRequest,
    @CurrentSubscriber() caller: Subscriber,
    @ZodBody(requests.webhookPatch) patch: z.infer<typeof requests.webhookPatch>,
    @PublicId('webhook') webhookId: string,
  ): Promise<object> {
    const { tenantId } = caller;
    const keyId = caller.access === 'key' ? caller.keyId : caller.issuedBy;
    const { after } = await this.database.transaction(tenantId, async (tx) => {
      const changed = await changeWebhook(tx, this.settings, { tenantId, webhookId, patch, keyId });
      await this.linkActs.record(tx, request);
      return changed;
    });
    return presentWebhook(after);
  }

  @Delete(':id')
  @HttpCode(204)
  async delete(@CurrentTenant() tenantId: string, @PublicId('webhook') webhookId: string): Promise<void> {
    orNotFound(await this.database.transaction(tenantId, (tx) => deleteWebhook(tx, tenantId, webhookId)));
  }

  @Post(':id/rotate-secret')
  @HttpCode(200)
  async rotate(
    @Req() request: FastifyRequest,
    @CurrentTenant() tenantId: string,
    @ZodBody(requests.rotateBody) { overlap_hours: overlapHours }: z.infer<typeof requests.rotateBody>,
    @PublicId('webhook') webhookId: string,
  ): Promise<object> {
    const rotated = await this.database.transaction(tenantId, async (tx) => {
      await this.linkActs.record(tx, request);
      return rotateSigningSecret(tx, this.settings, { tenantId, webhookId, overlapHours });
    });
    return orNotFound(rotated);
  }
}
