import { encodeId, requests } from '@idsync/contracts';
import { deleteWebhook, listWebhookHealth, lockWebhook } from '@idsync/database/gateway';
import { Controller, Delete, Get, HttpCode, Patch, Post } from '@nestjs/common';
import type { z } from 'zod';
import { OperatorAccess } from '../audit/operator-access.decorator.js';
import { actorName } from '../audit/request-context.js';
import { orNotFound } from '../http/api-error.js';
import { PublicId, TenantParam } from '../http/public-id.pipe.js';
import { ZodBody } from '../http/zod.pipe.js';
import { presentWebhook } from '../present.js';
import { changeWebhook, createWebhook } from '../shared/change-webhook.js';
import { GatewaySettings } from '../shared/gateway-settings.service.js';
import { presentWebhookHealth } from '../shared/present-delivery.js';
import { replay } from '../shared/request-replay.js';
import { requestTest, showWebhook } from '../shared/show-webhook.js';
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
