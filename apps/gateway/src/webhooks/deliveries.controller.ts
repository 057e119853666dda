import { adminRoutes, clientRoutes, decodeId, encodeId, type requests } from '@idsync/contracts';
import type { Transaction } from '@idsync/database';
import { enqueue } from '@idsync/database/bus';
import {
  type DeliveryDetails,
  findDelivery,
  findReplay,
  findWebhook,
  listDeliveries,
  listReplays,
} from '@idsync/database/gateway';
import { Controller } from '@nestjs/common';
import type { z } from 'zod';
import { currentCaller } from '../audit/request-context.js';
import { badRequest, orNotFound } from '../http/api-error.js';
import { Handles, type Input } from '../http/handles.decorator.js';
import { optionalUuid } from '../http/ids.js';
import { invalidCursor, readDeliveryCursor, writeDeliveryCursor } from '../shared/cursor.js';
import { TenantTransactions } from '../tenants/tenant-transactions.service.js';
import { presentDelivery, presentDeliveryDetails, presentReplay } from './present-delivery.js';
import { resend } from './request-replay.js';

/** A delivery in the path of an operator, or below its webhook in the one of a client. */
interface DeliveryPath {
  tenantId: string;
  webhookId?: string;
  deliveryId: string;
}

/** With these routes a subscriber or an operator finds out why a delivery failed, and has it sent again. */
@Controller()
export class DeliveriesController {
  constructor(private readonly tenants: TenantTransactions) {}

  @Handles(clientRoutes.listWebhookDeliveries)
  listOfWebhook({ tenantId, query, webhookId }: Input<typeof clientRoutes.listWebhookDeliveries>) {
    return this.tenants.run(tenantId, async (tx) => {
      orNotFound(await findWebhook(tx, webhookId));
      return showDeliveries(tx, { ...query, webhookId });
    });
  }

  @Handles(adminRoutes.listDeliveries)
  async list({ tenantId, query: { webhook_id, ...filters } }: Input<typeof adminRoutes.listDeliveries>) {
    const webhookId = optionalUuid('webhook', webhook_id);
    return this.tenants.run(tenantId, (tx) => showDeliveries(tx, { ...filters, webhookId }));
  }

  @Handles(clientRoutes.getWebhookDelivery, adminRoutes.getDelivery)
  async get(path: DeliveryPath) {
    const caller = currentCaller();
    const found = await this.tenants.run(path.tenantId, (tx) => findIn(tx, path));
    // The body contains what the event feed contains.
    const hasBody = caller.access === 'operator' || caller.scopes.has('events:read');
    return presentDeliveryDetails(hasBody ? found : { ...found, body: null });
  }

  @Handles(clientRoutes.resendWebhookDelivery, adminRoutes.resendDelivery)
  resend({ body: { by }, ...path }: DeliveryPath & { body: { by?: string } }) {
    return this.tenants.act(path.tenantId, async (tx) => resend(tx, await findIn(tx, path), by));
  }

  /** The cursor is the id of the last replay of the previous page. */
  @Handles(adminRoutes.listReplays)
  async listReplays({ tenantId, query: { limit, cursor } }: Input<typeof adminRoutes.listReplays>) {
    const before = cursor ? decodeId('replay', cursor) : undefined;
    if (cursor && before === undefined) throw invalidCursor();
    const rows = await this.tenants.run(tenantId, (tx) => listReplays(tx, { before, limit: limit + 1 }));
    const page = rows.slice(0, limit);
    const last = rows.length > limit ? page.at(-1) : undefined;
    return { data: page.map(presentReplay), limit, ...(last && { next_cursor: encodeId('replay', last.id) }) };
  }

  @Handles(clientRoutes.getWebhookReplay, adminRoutes.getReplay)
  async getReplay({ tenantId, webhookId, replayId }: { tenantId: string; webhookId?: string; replayId: string }) {
    const row = orNotFound(await this.tenants.run(tenantId, (tx) => findReplay(tx, replayId)));
    orNotFound(webhookId === undefined || webhookId === row.webhookId);
    return presentReplay(row);
  }

  /** Responds with 202, because the dispatcher owns replays and cancels this one asynchronously. */
  @Handles(adminRoutes.cancelReplay)
  async cancelReplay({ tenantId, replayId: id }: Input<typeof adminRoutes.cancelReplay>) {
    return this.tenants.act(tenantId, async (tx) => {
      const row = orNotFound(await findReplay(tx, id));
      if (row.status === 'done' || row.status === 'cancelled') throw badRequest(`the replay is already ${row.status}`);
      await enqueue(tx, { type: 'webhook.replay.cancel_requested', tenantId, data: { replay_id: id } });
      return presentReplay(row);
    });
  }
}

/** Throws a 404 for a delivery of another webhook than the one in the path, and of one that was deleted. */
async function findIn(tx: Transaction, { webhookId, deliveryId }: DeliveryPath): Promise<DeliveryDetails> {
  if (webhookId !== undefined) orNotFound(await findWebhook(tx, webhookId));
  const delivery = orNotFound(await findDelivery(tx, deliveryId));
  orNotFound(webhookId === undefined || webhookId === delivery.webhookId);
  return delivery;
}

type DeliveryFilters = z.infer<typeof requests.webhookDeliveryQuery> & { webhookId?: string | undefined };

/** Returns a page of deliveries; those of all webhooks without a `webhookId`. */
async function showDeliveries(tx: Transaction, { cursor, event_type: eventType, ...filters }: DeliveryFilters) {
  const after = cursor ? readDeliveryCursor(cursor) : undefined;
  const { rows, next } = await listDeliveries(tx, { ...filters, eventType, after });
  return {
    data: rows.map(presentDelivery),
    limit: filters.limit,
    ...(next && { next_cursor: writeDeliveryCursor(next) }),
  };
}
