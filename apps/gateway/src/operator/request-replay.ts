import { lockWebhook, requestReplay, type Transaction, type WantedReplay } from '@idsync/database';
import { badRequest } from '../api-error.js';
import { presentReplay } from './present-delivery.js';

/** Has deliveries of a webhook sent again. Undefined if there is no such webhook; a 400 if it is switched off. */
export async function replay(tx: Transaction, tenantId: string, wanted: WantedReplay): Promise<object | undefined> {
  const webhook = await lockWebhook(tx, tenantId, wanted.webhookId);
  if (!webhook) return undefined;
  // What became due would lie there and go out some day, whenever somebody switches it on.
  if (!webhook.active) throw switchedOff();
  return presentReplay(await requestReplay(tx, tenantId, wanted));
}

export const switchedOff = () => badRequest('the webhook is not active: it must be switched on first');
