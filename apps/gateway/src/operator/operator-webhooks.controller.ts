import { encodeId, requests } from '@idsync/contracts';
import { recordEvents } from '@idsync/database/bus';
import { findAttemptStatistics, findWebhook, findWebhookHealth, listWebhookHealth } from '@idsync/database/gateway';
import { Controller, Get, HttpCode, Post } from '@nestjs/common';
import type { z } from 'zod';
import { Access } from '../access/access.decorator.js';
import { orNotFound } from '../http/api-error.js';
import { PublicId, TenantParam } from '../http/public-id.pipe.js';
import { ZodBody } from '../http/zod.pipe.js';
import { GatewaySettings } from '../shared/gateway-settings.service.js';
import { rotateSigningSecret } from '../shared/signing-secret.js';
import { presentStatistics, presentWebhookHealth } from './present-delivery.js';
import { inactiveWebhook, replay } from './request-replay.js';
import { TenantTransactions } from './tenant-transactions.service.js';

@Controller('admin/v1/tenants/:tenantId/webhooks')
@Access('operator')
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
    return this.tenants.run(tenantId, async (tx) => {
      const webhook = orNotFound(await findWebhookHealth(tx, tenantId, id));
      const statistics = await findAttemptStatistics(tx, tenantId, id);
      return { ...presentWebhookHealth(webhook), statistics: presentStatistics(statistics) };
    });
  }

  @Post(':webhookId/test')
  @HttpCode(202)
  async test(
    @TenantParam() tenantId: string,
    @PublicId('webhook', 'webhookId') id: string,
    @ZodBody(requests.testBody) { message }: z.infer<typeof requests.testBody>,
  ): Promise<object> {
    return this.tenants.run(tenantId, async (tx) => {
      const webhook = orNotFound(await findWebhook(tx, tenantId, id));
      if (!webhook.active) throw inactiveWebhook();
      const details = { webhook_id: encodeId('webhook', id), message };
      const event = { type: 'webhook.test' as const, subjectId: id, details };
      const [eventId = ''] = await recordEvents(tx, tenantId, [event]);
      return { event_id: encodeId('event', eventId) };
    });
  }

  @Post(':webhookId/rotate-secret')
  @HttpCode(200)
  async rotateSecret(
    @TenantParam() tenantId: string,
    @ZodBody(requests.rotateBody) { overlap_hours: overlapHours }: z.infer<typeof requests.rotateBody>,
    @PublicId('webhook', 'webhookId') webhookId: string,
  ): Promise<object> {
    const rotated = await this.tenants.run(tenantId, (tx) =>
      rotateSigningSecret(tx, this.settings, { tenantId, webhookId, overlapHours }),
    );
    return orNotFound(rotated);
  }

  @Post(':webhookId/requeue')
  @HttpCode(202)
  async requeue(
    @TenantParam() tenantId: string,
    @PublicId('webhook', 'webhookId') webhookId: string,
    @ZodBody(requests.resendBody) { by }: z.infer<typeof requests.resendBody>,
  ): Promise<object> {
    const request = { webhookId, kind: 'requeue' as const, filter: {}, requestedBy: by };
    return orNotFound(await this.tenants.run(tenantId, (tx) => replay(tx, tenantId, request)));
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
    const request = { webhookId, kind: 'replay' as const, filter, requestedBy: by };
    return orNotFound(await this.tenants.run(tenantId, (tx) => replay(tx, tenantId, request)));
  }
}
