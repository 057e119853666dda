import { type clientRoutes, encodeId, type requests, type responses } from '@idsync/contracts';
import type { Transaction } from '@idsync/database';
import { recordEvents } from '@idsync/database/bus';
import {
  findAttemptStatistics,
  findLastFailure,
  findWebhookHealth,
  listDeliveries,
  lockWebhook,
  markTested,
} from '@idsync/database/gateway';
import type { z } from 'zod';
import { ApiError, orNotFound } from '../http/api-error.js';
import { readDeliveryCursor, writeDeliveryCursor } from '../shared/cursor.js';
import { presentDelivery, presentWebhookDetails } from './present-delivery.js';
import { inactiveWebhook } from './request-replay.js';

/** Answers about a webhook, for operators and for the subscriber itself. */

/** Returns a webhook with its health. Throws a 404 if it does not exist. */
export async function showWebhook(
  tx: Transaction,
  tenantId: string,
  webhookId: string,
): Promise<responses.WebhookDetails> {
  const health = orNotFound(await findWebhookHealth(tx, tenantId, webhookId));
  const failure = await findLastFailure(tx, tenantId, webhookId);
  return presentWebhookDetails(health, failure, await findAttemptStatistics(tx, tenantId, webhookId));
}

/** Returns a page of deliveries; those of all webhooks without a `webhookId`. */
export async function showDeliveries(
  tx: Transaction,
  tenantId: string,
  query: Omit<z.infer<typeof requests.webhookDeliveryQuery>, 'webhook_id'> & { webhookId?: string | undefined },
): Promise<z.output<typeof clientRoutes.listWebhookDeliveries.success.schema>> {
  const { cursor, event_type: eventType, ...filters } = query;
  const after = cursor ? readDeliveryCursor(cursor) : undefined;
  const { rows, next } = await listDeliveries(tx, tenantId, { ...filters, eventType, after });
  return {
    data: rows.map(presentDelivery),
    limit: filters.limit,
    ...(next && { next_cursor: writeDeliveryCursor(next) }),
  };
}

/**
 * Records a test event for a webhook. Throws a 404 if it does not exist, a 400 if it is inactive, and a 429 if
 * `intervalSeconds` is given and the last test was later than that.
 */
export async function requestTest(
  tx: Transaction,
  tenantId: string,
  webhookId: string,
  { message, intervalSeconds }: { message: string; intervalSeconds?: number },
): Promise<responses.TestEvent> {
  const webhook = orNotFound(await lockWebhook(tx, tenantId, webhookId));
  if (!webhook.active) throw inactiveWebhook();
  if (intervalSeconds !== undefined && !(await markTested(tx, tenantId, webhookId, intervalSeconds)))
    throw new ApiError(429, `a webhook can be tested once every ${intervalSeconds} s`, intervalSeconds);
  const details = { webhook_id: encodeId('webhook', webhookId), message };
  const event = { type: 'webhook.test' as const, subjectId: webhookId, details };
  const [eventId = ''] = await recordEvents(tx, tenantId, [event]);
  return { event_id: encodeId('event', eventId) };
}
