import { decodeId, encodeId, requests } from '@idsync/contracts';
import { enqueue } from '@idsync/database/bus';
import {
  deleteWebhook,
  findDelivery,
  findReplay,
  findWebhook,
  listReplays,
  listWebhookHealth,
  lockWebhook,
  revokePortalLinks,
} from '@idsync/database/gateway';
import { Controller, Delete, Get, HttpCode, Patch, Post } from '@nestjs/common';
import type { z } from 'zod';
import { KeyRing } from '../access/key-ring.service.js';
import { OwnOrigin } from '../access/own-origin.pipe.js';
import { ReadsPeople } from '../audit/audit.interceptor.js';
import { OperatorAccess } from '../audit/operator-access.decorator.js';
import { actorName } from '../audit/request-context.js';
import { badRequest, orNotFound } from '../http/api-error.js';
import { PublicId, QueryId, TenantParam } from '../http/public-id.pipe.js';
import { ZodBody, ZodQuery } from '../http/zod.pipe.js';
import { presentWebhook } from '../present.js';
import { changeWebhook, createWebhook } from '../shared/change-webhook.js';
import { invalidCursor } from '../shared/cursor.js';
import { GatewaySettings } from '../shared/gateway-settings.service.js';
import { issuePortalLink } from '../shared/portal-link.js';
import { presentDeliveryDetails, presentReplay, presentWebhookHealth } from '../shared/present-delivery.js';
import { replay, resend } from '../shared/request-replay.js';
import { requestTest, showDeliveries, showWebhook } from '../shared/show-webhook.js';
import { rotateSigningSecret } from '../shared/signing-secret.js';
import { TenantTransactions } from './tenant-transactions.service.js';

@Controller('admin/v1/tenants/:tenantId/webhooks')
@OperatorAccess()
export class OperatorWebhooksController {
  constructor(
    private readonly tenants: TenantTransactions,
    private readonly settings: GatewaySettings,
  ) {}

  @Get()
  async list(@TenantParam() tenantId: string): Promise<object> {
    const rows = await this.tenants.run(tenantId, (tx) => listWebhookHealth(tx, tenantId));
    return { data: rows.map(presentWebhookHealth), total: rows.length };
  }

  @Get(':webhookId')
  async get(@TenantParam() tenantId: string, @PublicId('webhook', 'webhookId') id: string): Promise<object> {
    return this.tenants.run(tenantId, (tx) => showWebhook(tx, tenantId, id));
  }

  /** As for connectors, the role is admin: a webhook sends data of people to an address. */
  @Post()
  async create(
    @TenantParam() tenantId: string,
    @ZodBody(requests.webhookBody) body: z.infer<typeof requests.webhookBody>,
  ): Promise<object> {
    return this.tenants.act(tenantId, async (tx, describe) => {
      const { webhook, secret } = await createWebhook(tx, this.settings, tenantId, body);
      const shown = presentWebhook(webhook);
      describe({ resource: encodeId('webhook', webhook.id), after: shown });
      return { ...shown, signing_secret: secret };
    });
  }

  @Patch(':webhookId')
  async update(
    @TenantParam() tenantId: string,
    @ZodBody(requests.webhookPatch) patch: z.infer<typeof requests.webhookPatch>,
    @PublicId('webhook', 'webhookId') webhookId: string,
  ): Promise<object> {
    return this.tenants.act(tenantId, async (tx, describe) => {
      const changed = await changeWebhook(tx, this.settings, { tenantId, webhookId, patch });
      const after = presentWebhook(changed.after);
      // Values of headers are not shown, so their change is visible only by the names of the fields.
      describe({ before: presentWebhook(changed.before), after: { ...after, set: Object.keys(patch) } });
      return after;
    });
  }

  @Delete(':webhookId')
  @HttpCode(204)
  async delete(@TenantParam() tenantId: string, @PublicId('webhook', 'webhookId') webhookId: string): Promise<void> {
    await this.tenants.act(tenantId, async (tx, describe) => {
      const before = orNotFound(await lockWebhook(tx, tenantId, webhookId));
      await deleteWebhook(tx, tenantId, webhookId);
      describe({ before: presentWebhook(before) });
    });
  }

  @Post(':webhookId/test')
  @HttpCode(202)
  async test(
    @TenantParam() tenantId: string,
    @PublicId('webhook', 'webhookId') id: string,
    @ZodBody(requests.testBody) { message }: z.infer<typeof requests.testBody>,
  ): Promise<object> {
    return this.tenants.act(tenantId, (tx) => requestTest(tx, tenantId, id, { message }));
  }

  @Post(':webhookId/rotate-secret')
  @HttpCode(200)
  async rotateSecret(
    @TenantParam() tenantId: string,
    @ZodBody(requests.rotateBody) { overlap_hours: overlapHours }: z.infer<typeof requests.rotateBody>,
    @PublicId('webhook', 'webhookId') webhookId: string,
  ): Promise<object> {
    return this.tenants.act(tenantId, async (tx) =>
      orNotFound(await rotateSigningSecret(tx, this.settings, { tenantId, webhookId, overlapHours })),
    );
  }

  @Post(':webhookId/requeue')
  @HttpCode(202)
  async requeue(
    @TenantParam() tenantId: string,
    @PublicId('webhook', 'webhookId') webhookId: string,
    @ZodBody(requests.resendBody) { by }: z.infer<typeof requests.resendBody>,
  ): Promise<object> {
    const request = { webhookId, kind: 'requeue' as const, filter: {}, requestedBy: actorName(by) };
    return this.tenants.act(tenantId, async (tx) => orNotFound(await replay(tx, tenantId, request)));
  }

  @Post(':webhookId/replay')
  @HttpCode(202)
  async replay(
    @TenantParam() tenantId: string,
    @PublicId('webhook', 'webhookId') webhookId: string,
    @ZodBody(requests.replayBody) { since, until, events, by }: z.infer<typeof requests.replayBody>,
  ): Promise<object> {
    const filter = {
      since: since.toISOString(),
      ...(until && { until: until.toISOString() }),
      ...(events && { events }),
    };
    const request = { webhookId, kind: 'replay' as const, filter, requestedBy: actorName(by) };
    return this.tenants.act(tenantId, async (tx) => orNotFound(await replay(tx, tenantId, request)));
  }
}

@Controller('admin/v1/tenants/:tenantId/deliveries')
@OperatorAccess()
export class DeliveriesController {
  constructor(private readonly tenants: TenantTransactions) {}

  @Get()
  async list(
    @TenantParam() tenantId: string,
    @QueryId('webhook', 'webhook_id') webhookId: string | undefined,
    @ZodQuery(requests.deliveryQuery) { webhook_id: _, ...filters }: z.infer<typeof requests.deliveryQuery>,
  ): Promise<object> {
    return this.tenants.run(tenantId, (tx) => showDeliveries(tx, tenantId, { ...filters, webhookId }));
  }

  @Get(':deliveryId')
  @ReadsPeople(true)
  async get(@TenantParam() tenantId: string, @PublicId('delivery', 'deliveryId') id: string): Promise<object> {
    const found = await this.tenants.run(tenantId, (tx) => findDelivery(tx, tenantId, id));
    return presentDeliveryDetails(orNotFound(found));
  }

  @Post(':deliveryId/resend')
  @HttpCode(202)
  async resend(
    @TenantParam() tenantId: string,
    @PublicId('delivery', 'deliveryId') id: string,
    @ZodBody(requests.resendBody) { by }: z.infer<typeof requests.resendBody>,
  ): Promise<object> {
    return this.tenants.act(tenantId, (tx) => resend(tx, tenantId, { deliveryId: id, requestedBy: actorName(by) }));
  }
}

@Controller('admin/v1/tenants/:tenantId/replays')
@OperatorAccess()
export class ReplaysController {
  constructor(private readonly tenants: TenantTransactions) {}

  /** The cursor is the id of the last replay of the previous page. */
  @Get()
  async list(
    @TenantParam() tenantId: string,
    @ZodQuery(requests.replayQuery) { limit, cursor }: z.infer<typeof requests.replayQuery>,
  ): Promise<object> {
    const before = cursor ? decodeId('replay', cursor) : undefined;
    if (cursor && before === undefined) throw invalidCursor();
    const rows = await this.tenants.run(tenantId, (tx) => listReplays(tx, tenantId, { before, limit: limit + 1 }));
    const page = rows.slice(0, limit);
    const last = rows.length > limit ? page.at(-1) : undefined;
    return { data: page.map(presentReplay), limit, ...(last && { next_cursor: encodeId('replay', last.id) }) };
  }

  @Get(':replayId')
  async get(@TenantParam() tenantId: string, @PublicId('replay', 'replayId') id: string): Promise<object> {
    return presentReplay(orNotFound(await this.tenants.run(tenantId, (tx) => findReplay(tx, tenantId, id))));
  }

  /** Responds with 202, because the dispatcher owns replays and cancels this one asynchronously. */
  @Post(':replayId/cancel')
  @HttpCode(202)
  async cancel(@TenantParam() tenantId: string, @PublicId('replay', 'replayId') id: string): Promise<object> {
    return this.tenants.act(tenantId, async (tx) => {
      const row = orNotFound(await findReplay(tx, tenantId, id));
      if (row.status === 'done' || row.status === 'cancelled') throw badRequest(`the replay is already ${row.status}`);
      await enqueue(tx, { type: 'webhook.replay.cancel_requested', tenantId, data: { replay_id: id } });
      return presentReplay(row);
    });
  }
}

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
