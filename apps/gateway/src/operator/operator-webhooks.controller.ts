import { requests } from '@idsync/contracts';
import { listWebhookHealth } from '@idsync/database/gateway';
import { Controller, Get, HttpCode, Post } from '@nestjs/common';
import type { z } from 'zod';
import { Needs } from '../access/operator-roles.decorator.js';
import { OperatorAccess } from '../audit/operator-access.decorator.js';
import { actorName } from '../audit/request-context.js';
import { orNotFound } from '../http/api-error.js';
import { PublicId, TenantParam } from '../http/public-id.pipe.js';
import { ZodBody } from '../http/zod.pipe.js';
import { GatewaySettings } from '../shared/gateway-settings.service.js';
import { presentWebhookHealth } from '../shared/present-delivery.js';
import { replay } from '../shared/request-replay.js';
import { requestTest, showWebhook } from '../shared/show-webhook.js';
import { rotateSigningSecret } from '../shared/signing-secret.js';
import { TenantTransactions } from './tenant-transactions.service.js';

@Controller('admin/v1/tenants/:tenantId/webhooks')
@OperatorAccess({ read: 'viewer', write: 'operator' })
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
  @Needs('admin')
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
