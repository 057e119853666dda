import { requests } from '@idsync/contracts';
import { Database, findDelivery, listDeliveries } from '@idsync/database';
import { Body, Controller, Get, HttpCode, Inject, Param, Post, Query } from '@nestjs/common';
import { badRequest, notFound } from '../api-error.js';
import { readDeliveryCursor, writeDeliveryCursor } from '../cursor.js';
import { uuidOf } from '../directory.controller.js';
import { validate } from '../validate.js';
import { presentDelivery, presentDeliveryDetails } from './present-delivery.js';
import { replay } from './request-replay.js';
import { inTenant } from './tenants.controller.js';

@Controller('admin/v1/tenants/:tenantId/deliveries')
export class DeliveriesController {
  constructor(@Inject(Database) private readonly database: Database) {}

  @Get()
  async list(@Param('tenantId') tenantId: string, @Query() query: unknown): Promise<object> {
    const { cursor, webhook_id, event_type, ...wanted } = validate(requests.deliveryQuery, query);
    const after = cursor === undefined ? undefined : readDeliveryCursor(cursor);
    const webhookId = webhook_id === undefined ? undefined : uuidOf('webhook', webhook_id);
    const { rows, next } = await inTenant(this.database, tenantId, (tx, tenant) =>
      listDeliveries(tx, tenant, { ...wanted, eventType: event_type, webhookId, after }),
    );
    return {
      data: rows.map(presentDelivery),
      limit: wanted.limit,
      ...(next && { next_cursor: writeDeliveryCursor(next) }),
    };
  }

  @Get(':deliveryId')
  async get(@Param('tenantId') tenantId: string, @Param('deliveryId') deliveryId: string): Promise<object> {
    const id = uuidOf('delivery', deliveryId);
    const found = await inTenant(this.database, tenantId, (tx, tenant) => findDelivery(tx, tenant, id));
    if (!found) throw notFound();
    return presentDeliveryDetails(found);
  }

  @Post(':deliveryId/resend')
  @HttpCode(202)
  async resend(
    @Param('tenantId') tenantId: string,
    @Param('deliveryId') deliveryId: string,
    @Body() body: unknown,
  ): Promise<object> {
    const { by } = validate(requests.againBody, body);
    const id = uuidOf('delivery', deliveryId);
    return inTenant(this.database, tenantId, async (tx, tenant) => {
      const delivery = await findDelivery(tx, tenant, id);
      if (!delivery) throw notFound();
      const wanted = { webhookId: delivery.webhookId, kind: 'resend' as const, filter: { delivery_id: id } };
      const requested = await replay(tx, tenant, { ...wanted, requestedBy: by });
      if (!requested) throw badRequest('its webhook was deleted');
      return requested;
    });
  }
}
