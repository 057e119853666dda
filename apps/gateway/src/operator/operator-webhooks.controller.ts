import { encodeId, requests } from '@idsync/contracts';
import {
  Database,
  findAttemptStatistics,
  findWebhook,
  findWebhookHealth,
  listWebhookHealth,
  recordEvents,
} from '@idsync/database';
import { Body, Controller, Get, HttpCode, Inject, Param, Post } from '@nestjs/common';
import { notFound } from '../api-error.js';
import { uuidOf } from '../directory.controller.js';
import { validate } from '../validate.js';
import { presentStatistics, presentWebhookHealth } from './present-delivery.js';
import { replay, switchedOff } from './request-replay.js';
import { inTenant } from './tenants.controller.js';

@Controller('admin/v1/tenants/:tenantId/webhooks')
export class OperatorWebhooksController {
  constructor(@Inject(Database) private readonly database: Database) {}

  @Get()
  async list(@Param('tenantId') tenantId: string): Promise<object> {
    const rows = await inTenant(this.database, tenantId, listWebhookHealth);
    return { data: rows.map(presentWebhookHealth), total: rows.length };
  }

  @Get(':webhookId')
  async get(@Param('tenantId') tenantId: string, @Param('webhookId') webhookId: string): Promise<object> {
    const id = uuidOf('webhook', webhookId);
    return inTenant(this.database, tenantId, async (tx, tenant) => {
      const webhook = await findWebhookHealth(tx, tenant, id);
      if (!webhook) throw notFound();
      const statistics = await findAttemptStatistics(tx, tenant, id);
      return { ...presentWebhookHealth(webhook), statistics: presentStatistics(statistics) };
    });
  }

  @Post(':webhookId/test')
  @HttpCode(202)
  async test(
    @Param('tenantId') tenantId: string,
    @Param('webhookId') webhookId: string,
    @Body() body: unknown,
  ): Promise<object> {
    const { message } = validate(requests.testBody, body);
    const id = uuidOf('webhook', webhookId);
    return inTenant(this.database, tenantId, async (tx, tenant) => {
      const webhook = await findWebhook(tx, tenant, id);
      if (!webhook) throw notFound();
      if (!webhook.active) throw switchedOff();
      const details = { webhook_id: encodeId('webhook', id), message };
      const event = { type: 'webhook.test' as const, occurredAt: new Date(), subjectId: id, details };
      const [eventId = ''] = await recordEvents(tx, tenant, [event]);
      return { event_id: encodeId('event', eventId) };
    });
  }

  @Post(':webhookId/requeue')
  @HttpCode(202)
  async requeue(
    @Param('tenantId') tenantId: string,
    @Param('webhookId') webhookId: string,
    @Body() body: unknown,
  ): Promise<object> {
    const { by } = validate(requests.againBody, body);
    const id = uuidOf('webhook', webhookId);
    const wanted = { webhookId: id, kind: 'requeue' as const, filter: {}, requestedBy: by };
    const requested = await inTenant(this.database, tenantId, (tx, tenant) => replay(tx, tenant, wanted));
    if (!requested) throw notFound();
    return requested;
  }

  @Post(':webhookId/replay')
  @HttpCode(202)
  async replay(
    @Param('tenantId') tenantId: string,
    @Param('webhookId') webhookId: string,
    @Body() body: unknown,
  ): Promise<object> {
    const { since, until, events, by } = validate(requests.replayBody, body);
    const id = uuidOf('webhook', webhookId);
    const filter = {
      since: since.toISOString(),
      ...(until && { until: until.toISOString() }),
      ...(events && { events }),
    };
    const wanted = { webhookId: id, kind: 'replay' as const, filter, requestedBy: by };
    const requested = await inTenant(this.database, tenantId, (tx, tenant) => replay(tx, tenant, wanted));
    if (!requested) throw notFound();
    return requested;
  }
}
