import { requests } from '@idsync/contracts';
import { findDelivery, listDeliveries } from '@idsync/database/gateway';
import { Controller, Get, HttpCode, Post } from '@nestjs/common';
import type { z } from 'zod';
import { Access } from '../access/access.decorator.js';
import { badRequest, orNotFound } from '../http/api-error.js';
import { uuidOf } from '../http/ids.js';
import { PublicId, TenantParam } from '../http/public-id.pipe.js';
import { ZodBody, ZodQuery } from '../http/zod.pipe.js';
import { readDeliveryCursor, writeDeliveryCursor } from '../shared/cursor.js';
import { presentDelivery, presentDeliveryDetails } from './present-delivery.js';
import { replay } from './request-replay.js';
import { TenantTransactions } from './tenant-transactions.service.js';

@Controller('admin/v1/tenants/:tenantId/deliveries')
@Access('operator')
export class DeliveriesController {
  constructor(private readonly tenants: TenantTransactions) {}

  @Get()
  async list(
    @TenantParam() tenantId: string,
    @ZodQuery(requests.deliveryQuery) query: z.infer<typeof requests.deliveryQuery>,
  ): Promise<object> {
    const { cursor, webhook_id, event_type: eventType, ...filters } = query;
    const after = cursor === undefined ? undefined : readDeliveryCursor(cursor);
    const webhookId = webhook_id === undefined ? undefined : uuidOf('webhook', webhook_id);
    const { rows, next } = await this.tenants.run(tenantId, (tx) =>
      listDeliveries(tx, tenantId, { ...filters, eventType, webhookId, after }),
    );
    return {
      data: rows.map(presentDelivery),
      limit: filters.limit,
      ...(next && { next_cursor: writeDeliveryCursor(next) }),
    };
  }

  @Get(':deliveryId')
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
    return this.tenants.run(tenantId, async (tx) => {
      const { webhookId } = orNotFound(await findDelivery(tx, tenantId, id));
      const request = { webhookId, kind: 'resend' as const, filter: { delivery_id: id }, requestedBy: by };
      const requested = await replay(tx, tenantId, request);
      if (!requested) throw badRequest('the webhook of this delivery was deleted');
      return requested;
    });
  }
}
