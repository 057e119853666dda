import { requests, type responses } from '@idsync/contracts';
import { Database } from '@idsync/database';
import {
  deleteWebhook,
  findDelivery,
  findReplay,
  findWebhook,
  listSigningKeys,
  listWebhooks,
  revokePortalLinks,
  type SigningKeyRow,
} from '@idsync/database/gateway';
import { Controller, Delete, Get, HttpCode, Patch, Post, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { Access, CurrentKey, CurrentSubscriber, CurrentTenant } from '../access/access.decorator.js';
import { type KeyCaller, publicIdOf, type Subscriber } from '../access/caller.js';
import { KeyRing } from '../access/key-ring.service.js';
import { OwnOrigin } from '../access/own-origin.pipe.js';
import { AuditLog } from '../audit/audit-log.service.js';
import { describeAct } from '../audit/describe-act.js';
import { LinkActs } from '../audit/link-acts.service.js';
import { orNotFound } from '../http/api-error.js';
import { PublicId } from '../http/public-id.pipe.js';
import { ZodBody, ZodQuery } from '../http/zod.pipe.js';
import { presentWebhook } from '../present.js';
import { changeWebhook, createWebhook } from '../shared/change-webhook.js';
import { GatewaySettings } from '../shared/gateway-settings.service.js';
import { issuePortalLink, presentLinkCaller } from '../shared/portal-link.js';
import { presentDeliveryDetails, presentReplay } from '../shared/present-delivery.js';
import { clientBounds, replay, resend } from '../shared/request-replay.js';
import { requestTest, showDeliveries, showWebhook } from '../shared/show-webhook.js';
import { newSigningKey, rotateSigningSecret } from '../shared/signing-secret.js';

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

@Controller('v1/webhooks/:id/signing-keys')
@Access('key')
export class SigningKeysController {
  constructor(
    private readonly database: Database,
    private readonly settings: GatewaySettings,
    private readonly linkActs: LinkActs,
  ) {}

  @Post()
  async create(
    @Req() request: FastifyRequest,
    @CurrentTenant() tenantId: string,
    @ZodBody(requests.rotateBody) { overlap_hours: overlapHours }: z.infer<typeof requests.rotateBody>,
    @PublicId('webhook') webhookId: string,
  ): Promise<object> {
    const created = await this.database.transaction(tenantId, async (tx) => {
      await this.linkActs.record(tx, request);
      return newSigningKey(tx, this.settings, { tenantId, webhookId, overlapHours });
    });
    return presentSigningKey(orNotFound(created));
  }

  @Get()
  async list(@CurrentTenant() tenantId: string, @PublicId('webhook') webhookId: string): Promise<object> {
    const keys = await this.database.transaction(tenantId, async (tx) => {
      orNotFound(await findWebhook(tx, tenantId, webhookId));
      return listSigningKeys(tx, tenantId, webhookId);
    });
    return { data: keys.map(presentSigningKey), total: keys.length };
  }
}

function presentSigningKey({ publicKey, createdAt, expiresAt }: SigningKeyRow): responses.SigningKey {
  return { public_key: publicKey, created_at: createdAt.toISOString(), expires_at: expiresAt?.toISOString() };
}

/** With these routes a subscriber finds out why a delivery failed, and has it sent again. */
@Controller('v1/webhooks/:id')
@Access('key')
export class WebhookDeliveriesController {
  constructor(private readonly database: Database) {}

  @Get()
  get(@CurrentTenant() tenantId: string, @PublicId('webhook') id: string): Promise<object> {
    return this.database.transaction(tenantId, (tx) => showWebhook(tx, tenantId, id));
  }

  @Post('test')
  @HttpCode(202)
  test(
    @CurrentTenant() tenantId: string,
    @ZodBody(requests.testBody) { message }: z.infer<typeof requests.testBody>,
    @PublicId('webhook') id: string,
  ): Promise<object> {
    const bounded = { message, intervalSeconds: requests.testIntervalSeconds };
    return this.database.transaction(tenantId, (tx) => requestTest(tx, tenantId, id, bounded));
  }

  @Get('deliveries')
  list(
    @CurrentTenant() tenantId: string,
    @ZodQuery(requests.webhookDeliveryQuery) query: z.infer<typeof requests.webhookDeliveryQuery>,
    @PublicId('webhook') webhookId: string,
  ): Promise<object> {
    return this.database.readTransaction(tenantId, async (tx) => {
      orNotFound(await findWebhook(tx, tenantId, webhookId));
      return showDeliveries(tx, tenantId, { ...query, webhookId });
    });
  }

  @Get('deliveries/:deliveryId')
  async delivery(
    @CurrentSubscriber() { tenantId, scopes }: Subscriber,
    @PublicId('webhook') webhookId: string,
    @PublicId('delivery', 'deliveryId') id: string,
  ): Promise<object> {
    const found = await this.database.transaction(tenantId, async (tx) => {
      orNotFound(await findWebhook(tx, tenantId, webhookId));
      return orNotFound(await findDelivery(tx, tenantId, id));
    });
    orNotFound(found.webhookId === webhookId);
    // The body contains what the event feed contains.
    return presentDeliveryDetails(scopes.has('events:read') ? found : { ...found, body: null });
  }

  @Post('deliveries/:deliveryId/resend')
  @HttpCode(202)
  resend(
    @CurrentSubscriber() caller: Subscriber,
    @ZodBody(requests.emptyBody) _body: z.infer<typeof requests.emptyBody>,
    @PublicId('webhook') webhookId: string,
    @PublicId('delivery', 'deliveryId') deliveryId: string,
  ): Promise<object> {
    const { tenantId } = caller;
    return this.database.transaction(tenantId, async (tx) => {
      orNotFound(await findWebhook(tx, tenantId, webhookId));
      return resend(tx, tenantId, { deliveryId, webhookId, requestedBy: publicIdOf(caller) }, clientBounds);
    });
  }

  @Post('requeue')
  @HttpCode(202)
  async requeue(
    @CurrentSubscriber() caller: Subscriber,
    @ZodBody(requests.emptyBody) _body: z.infer<typeof requests.emptyBody>,
    @PublicId('webhook') webhookId: string,
  ): Promise<object> {
    const { tenantId } = caller;
    const request = { webhookId, kind: 'requeue' as const, filter: {}, requestedBy: publicIdOf(caller) };
    return orNotFound(await this.database.transaction(tenantId, (tx) => replay(tx, tenantId, request, clientBounds)));
  }

  @Get('replays/:replayId')
  async replay(
    @CurrentTenant() tenantId: string,
    @PublicId('webhook') webhookId: string,
    @PublicId('replay', 'replayId') id: string,
  ): Promise<object> {
    const found = orNotFound(await this.database.transaction(tenantId, (tx) => findReplay(tx, tenantId, id)));
    orNotFound(found.webhookId === webhookId);
    return presentReplay(found);
  }
}

/** With these routes a client lets the users of its product into the subscriber portal. */
@Controller('v1')
@Access('key')
export class PortalLinksController {
  constructor(
    private readonly database: Database,
    private readonly audit: AuditLog,
    private readonly keyRing: KeyRing,
  ) {}

  @Post('portal-links')
  create(
    @Req() request: FastifyRequest,
    @OwnOrigin() origin: string,
    @CurrentKey() key: KeyCaller,
    @ZodBody(requests.portalLinkBody) body: z.infer<typeof requests.portalLinkBody>,
  ): Promise<object> {
    const { tenantId } = key;
    return this.database.transaction(tenantId, async (tx) => {
      const link = await issuePortalLink(tx, tenantId, origin, body, key);
      const { url: _, ...after } = link;
      await this.audit.append(tx, tenantId, describeAct(request, { resource: link.id, after }));
      return link;
    });
  }

  @Delete('webhooks/:id/portal-links')
  @HttpCode(204)
  async revoke(
    @Req() request: FastifyRequest,
    @CurrentKey() { tenantId }: KeyCaller,
    @PublicId('webhook') webhookId: string,
  ): Promise<void> {
    await this.database.transaction(tenantId, async (tx) => {
      orNotFound(await findWebhook(tx, tenantId, webhookId));
      const revoked = await revokePortalLinks(tx, tenantId, webhookId);
      await this.audit.append(tx, tenantId, describeAct(request, { after: { revoked } }));
    });
    this.keyRing.forgetLinks(tenantId);
  }
}
