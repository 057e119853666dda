import { requests } from '@idsync/contracts';
import { Database } from '@idsync/database';
import { findDelivery, findReplay, findWebhook } from '@idsync/database/gateway';
import { Controller, Get, HttpCode, Post } from '@nestjs/common';
import type { z } from 'zod';
import { Access, CurrentSubscriber, CurrentTenant } from '../access/access.decorator.js';
import { publicIdOf, type Subscriber } from '../access/caller.js';
import { orNotFound } from '../http/api-error.js';
import { PublicId } from '../http/public-id.pipe.js';
import { ZodBody, ZodQuery } from '../http/zod.pipe.js';
import { presentDeliveryDetails, presentReplay } from '../shared/present-delivery.js';
import { clientBounds, replay, resend } from '../shared/request-replay.js';
import { requestTest, showDeliveries, showWebhook } from '../shared/show-webhook.js';

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
