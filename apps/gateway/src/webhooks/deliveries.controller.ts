import { adminRoutes } from '@idsync/contracts';
import { findDelivery } from '@idsync/database/gateway';
import { Controller } from '@nestjs/common';
import { actorName } from '../audit/request-context.js';
import { orNotFound } from '../http/api-error.js';
import { Handles, type Input } from '../http/handles.decorator.js';
import { optionalUuid } from '../http/ids.js';
import { TenantTransactions } from '../tenants/tenant-transactions.service.js';
import { presentDeliveryDetails } from './present-delivery.js';
import { resend } from './request-replay.js';
import { showDeliveries } from './show-webhook.js';

@Controller()
export class DeliveriesController {
  constructor(private readonly tenants: TenantTransactions) {}

  @Handles(adminRoutes.listDeliveries)
  async list({ tenantId, query: { webhook_id, ...filters } }: Input<typeof adminRoutes.listDeliveries>) {
    const webhookId = optionalUuid('webhook', webhook_id);
    return this.tenants.run(tenantId, (tx) => showDeliveries(tx, tenantId, { ...filters, webhookId }));
  }

  @Handles(adminRoutes.getDelivery)
  async get({ tenantId, deliveryId: id }: Input<typeof adminRoutes.getDelivery>) {
    const found = await this.tenants.run(tenantId, (tx) => findDelivery(tx, tenantId, id));
    return presentDeliveryDetails(orNotFound(found));
  }

  @Handles(adminRoutes.resendDelivery)
  async resend({ tenantId, deliveryId: id, body: { by } }: Input<typeof adminRoutes.resendDelivery>) {
    return this.tenants.act(tenantId, (tx) => resend(tx, tenantId, { deliveryId: id, requestedBy: actorName(by) }));
  }
}
