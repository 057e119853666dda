import { clientRoutes, requests } from '@idsync/contracts';
import { Database } from '@idsync/database';
import { findDelivery, findReplay, findWebhook } from '@idsync/database/gateway';
import { Controller } from '@nestjs/common';
import { CurrentSubscriber } from '../access/access.decorator.js';
import { publicIdOf, type Subscriber } from '../access/caller.js';
import { orNotFound } from '../http/api-error.js';
import { Handles, type Input } from '../http/handles.decorator.js';
import { presentDeliveryDetails, presentReplay } from './present-delivery.js';
import { clientBounds, replay, resend } from './request-replay.js';
import { requestTest, showDeliveries, showWebhook } from './show-webhook.js';

/** With these routes a subscriber finds out why a delivery failed, and has it sent again. */
@Controller()
export class WebhookDeliveriesController {
  constructor(private readonly database: Database) {}

  @Handles(clientRoutes.getWebhook)
  get({ tenantId, id }: Input<typeof clientRoutes.getWebhook>) {
    return this.database.transaction(tenantId, (tx) => showWebhook(tx, tenantId, id));
  }

  @Handles(clientRoutes.testWebhook)
  test({ tenantId, body: { message }, id }: Input<typeof clientRoutes.testWebhook>) {
    const bounded = { message, intervalSeconds: requests.testIntervalSeconds };
    return this.database.transaction(tenantId, (tx) => requestTest(tx, tenantId, id, bounded));
  }

  @Handles(clientRoutes.listWebhookDeliveries)
  list({ tenantId, query, id: webhookId }: Input<typeof clientRoutes.listWebhookDeliveries>) {
    return this.database.readTransaction(tenantId, async (tx) => {
      orNotFound(await findWebhook(tx, tenantId, webhookId));
      return showDeliveries(tx, tenantId, { ...query, webhookId });
    });
  }

  @Handles(clientRoutes.getWebhookDelivery)
  async delivery(
    { id: webhookId, deliveryId: id }: Input<typeof clientRoutes.getWebhookDelivery>,
    @CurrentSubscriber() { tenantId, scopes }: Subscriber,
  ) {
    const found = await this.database.transaction(tenantId, async (tx) => {
      orNotFound(await findWebhook(tx, tenantId, webhookId));
      return orNotFound(await findDelivery(tx, tenantId, id));
    });
    orNotFound(found.webhookId === webhookId);
    // The body contains what the event feed contains.
    return presentDeliveryDetails(scopes.has('events:read') ? found : { ...found, body: null });
  }

  @Handles(clientRoutes.resendWebhookDelivery)
  resend(
    { id: webhookId, deliveryId }: Input<typeof clientRoutes.resendWebhookDelivery>,
    @CurrentSubscriber() caller: Subscriber,
  ) {
    const { tenantId } = caller;
    return this.database.transaction(tenantId, async (tx) => {
      orNotFound(await findWebhook(tx, tenantId, webhookId));
      return resend(tx, tenantId, { deliveryId, webhookId, requestedBy: publicIdOf(caller) }, clientBounds);
    });
  }

  @Handles(clientRoutes.requeueWebhook)
  async requeue({ id: webhookId }: Input<typeof clientRoutes.requeueWebhook>, @CurrentSubscriber() caller: Subscriber) {
    const { tenantId } = caller;
    const request = { webhookId, kind: 'requeue' as const, filter: {}, requestedBy: publicIdOf(caller) };
    return orNotFound(await this.database.transaction(tenantId, (tx) => replay(tx, tenantId, request, clientBounds)));
  }

  @Handles(clientRoutes.getWebhookReplay)
  async replay({ tenantId, id: webhookId, replayId: id }: Input<typeof clientRoutes.getWebhookReplay>) {
    const found = orNotFound(await this.database.transaction(tenantId, (tx) => findReplay(tx, tenantId, id)));
    orNotFound(found.webhookId === webhookId);
    return presentReplay(found);
  }
}
