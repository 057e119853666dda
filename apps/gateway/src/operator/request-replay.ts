import type { Transaction } from '@idsync/database';
import { lockWebhook, type ReplayRequest, requestReplay } from '@idsync/database/gateway';
import { badRequest } from '../http/api-error.js';
import { presentReplay } from './present-delivery.js';

/** Requests a replay. Returns undefined if the webhook does not exist. Throws a 400 if it is inactive. */
export async function replay(tx: Transaction, tenantId: string, request: ReplayRequest): Promise<object | undefined> {
  const webhook = await lockWebhook(tx, tenantId, request.webhookId);
  if (!webhook) return undefined;
  // The deliveries would become due and be sent unexpectedly when the webhook is activated later.
  if (!webhook.active) throw inactiveWebhook();
  return presentReplay(await requestReplay(tx, tenantId, request));
}

export const inactiveWebhook = () => badRequest('the webhook is inactive: activate it first');
