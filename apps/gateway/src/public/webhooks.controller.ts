import { requests } from '@idsync/contracts';
import { Database, encrypt } from '@idsync/database';
import {
  deleteWebhook,
  type EncryptedHeaders,
  insertWebhook,
  listWebhooks,
  lockWebhook,
  maxWebhooks,
  updateWebhook,
  type WebhookRow,
} from '@idsync/database/gateway';
import { vetUrl } from '@idsync/runtime';
import { Controller, Delete, Get, HttpCode, Patch, Post, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { Access, CurrentSubscriber, CurrentTenant } from '../access/access.decorator.js';
import type { Subscriber } from '../access/caller.js';
import { LinkActs } from '../audit/link-acts.service.js';
import { badRequest, orNotFound } from '../http/api-error.js';
import { PublicId } from '../http/public-id.pipe.js';
import { ZodBody } from '../http/zod.pipe.js';
import { presentWebhook } from '../present.js';
import { requireRoom } from '../quotas/require-room.js';
import { GatewaySettings } from '../shared/gateway-settings.service.js';
import { presentLinkCaller } from '../shared/portal-link.js';
import { newSigningSecret, rotateSigningSecret } from '../shared/signing-secret.js';

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
    const { callback_url: callbackUrl, headers, ...settings } = body;
    this.refuseBlocked(callbackUrl);
    const { secret, encryptedSecret } = newSigningSecret(this.settings, tenantId);
    const webhook = await this.database.transaction(tenantId, async (tx) => {
      await requireRoom(tx, tenantId, 'webhooks');
      return insertWebhook(tx, tenantId, {
        callbackUrl,
        ...settings,
        headers: this.encrypted(tenantId, headers),
        encryptedSecret,
      });
    });
    if (!webhook) throw badRequest(`a tenant can have at most ${maxWebhooks} webhooks`);
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
    @ZodBody(requests.webhookPatch) body: z.infer<typeof requests.webhookPatch>,
    @PublicId('webhook') webhookId: string,
  ): Promise<object> {
    const { tenantId } = caller;
    const { callback_url: callbackUrl, headers, ...settings } = body;
    const changes = { callbackUrl, ...settings, headers: this.encrypted(tenantId, headers) };
    if (callbackUrl !== undefined) this.refuseBlocked(callbackUrl);
    const keyId = caller.access === 'key' ? caller.keyId : caller.issuedBy;
    const webhook = await this.database.transaction(tenantId, async (tx) => {
      if (callbackUrl !== undefined && !headers)
        requireHeadersAgain(orNotFound(await lockWebhook(tx, tenantId, webhookId)), callbackUrl);
      await this.linkActs.record(tx, request);
      return updateWebhook(tx, tenantId, webhookId, changes, keyId);
    });
    return presentWebhook(orNotFound(webhook));
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

  private encrypted(tenantId: string, headers?: Record<string, string>): EncryptedHeaders | undefined {
    if (!headers) return undefined;
    const ciphertext = encrypt(JSON.stringify(headers), this.settings.encryptionKeys[0], tenantId);
    return { names: Object.keys(headers), ciphertext };
  }

  /** Checks the URL only. The addresses that a host name resolves to are checked at each delivery. */
  private refuseBlocked(callbackUrl: string): void {
    const reason = vetUrl(new URL(callbackUrl), this.settings.vet);
    if (reason !== undefined) throw badRequest(`callback_url cannot be called: ${reason}`);
  }
}

/** Requires headers again when another server would receive them: changing an address must not disclose stored values. */
function requireHeadersAgain({ callbackUrl, headerNames }: WebhookRow, next: string): void {
  if (headerNames.length === 0 || new URL(callbackUrl).origin === new URL(next).origin) return;
  const names = headerNames.join(', ');
  throw badRequest(`headers must be given again, because callback_url names another server: ${names}, or {} for none`);
}
