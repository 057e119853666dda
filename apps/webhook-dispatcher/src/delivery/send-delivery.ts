import { encodeId, type SentRequest } from '@idsync/contracts';
import type { ClaimedDelivery, Receiver } from '@idsync/database/delivery';
import { addLogContext, addTraceAttributes, markSpanFailed, traced, traceparent } from '@idsync/runtime';
import type { SendResult } from '../sending/send.js';
import { masked, sentHeaders } from '../sending/sent-headers.js';
import { signedHeaders } from '../sign.js';
import type { DeliveryContext } from './delivery-context.js';
import { bodyOf } from './render-again.js';

/** Result of an attempt, with its request unless the address was blocked. */
export type SentDelivery = SendResult & { request?: SentRequest };

/** Why nothing could be sent: keys that the webhook needs are missing. */
interface Unsigned {
  unsigned: string;
}

/** Signs and sends a delivery, unless its lease may end before the exchange does. */
export async function sendDelivery(
  { database, sender, settings, decryptKey, decryptPrivateKey, decryptHeaders }: DeliveryContext,
  delivery: ClaimedDelivery,
  receiver: Receiver,
  leaseEnds: number,
): Promise<SentDelivery | Unsigned | 'too late'> {
  const { eventId, body } = await bodyOf(database, delivery);
  addLogContext({ event_id: eventId });
  const { tenantId } = delivery;
  const shared = receiver.secrets.flatMap((encrypted) => decryptKey(encrypted, tenantId) ?? []);
  const asymmetric = receiver.signingKeys.flatMap((encrypted) => decryptPrivateKey(encrypted, tenantId) ?? []);
  // If this process was paused for long, its lease has expired and another process sends the delivery.
  if (performance.now() + settings.exchangeMs > leaseEnds) return 'too late';
  // Every receiver knows `v1`, not every one `v1a`.
  if (shared.length === 0) return { unsigned: 'no signing secret can be decrypted with the configured keys' };
  const additional = receiver.headers === null ? {} : decryptHeaders(receiver.headers, tenantId);
  // Without them, the receiver would refuse the request.
  if (!additional) return { unsigned: 'the additional headers cannot be decrypted with the configured keys' };
  const id = encodeId('event', eventId);
  const attributes = {
    'http.request.method': 'POST',
    'server.address': new URL(receiver.callbackUrl).hostname,
    'idsync.event_id': id,
    'idsync.delivery_id': encodeId('delivery', delivery.id),
    'idsync.attempt': delivery.number,
  };
  return traced('POST webhook', { kind: 'client', parent: delivery.traceparent, attributes }, async () => {
    const timestamp = Math.floor(Date.now() / 1_000);
    const parent = traceparent();
    const signed = signedHeaders({ id, timestamp, body }, { shared, asymmetric });
    const own = { ...signed, ...(parent && { traceparent: parent }) };
    const url = receiver.callbackUrl;
    const result = await sender.send({ url, headers: sentHeaders({ ...additional, ...own }), body });
    const request = { url, headers: sentHeaders({ ...masked(additional), ...own }) };
    const { outcome, statusCode } = result;
    addTraceAttributes({ 'idsync.outcome': outcome, 'http.response.status_code': statusCode });
    if (outcome !== 'delivered') markSpanFailed(outcome === 'rejected' ? `${statusCode}` : outcome);
    return outcome === 'blocked' ? result : { ...result, request };
  });
}
