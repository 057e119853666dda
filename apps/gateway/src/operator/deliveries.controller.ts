import { requests } from '@idsync/contracts';
import { findDelivery } from '@idsync/database/gateway';
import { Controller, Get, HttpCode, Post } from '@nestjs/common';
import type { z } from 'zod';
import { ReadsPeople } from '../audit/audit.interceptor.js';
import { OperatorAccess } from '../audit/operator-access.decorator.js';
import { actorName } from '../audit/request-context.js';
import { orNotFound } from '../http/api-error.js';
import { PublicId, QueryId, TenantParam } from '../http/public-id.pipe.js';
import { ZodBody, ZodQuery } from '../http/zod.pipe.js';
import { presentDeliveryDetails } from '../shared/present-delivery.js';
import { resend } from '../shared/request-replay.js';
import { showDeliveries } from '../shared/show-webhook.js';
import { TenantTransactions } from './tenant-transactions.service.js';

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
