import { encodeId, type SentRequest, thinBody } from '@idsync/contracts';
import type { Database } from '@idsync/database';
import {
  type ClaimedDelivery,
  findEventBodies,
  lockPayloadsForRendering,
  type Receiver,
  savePayloads,
} from '@idsync/database/delivery';
import { addLogContext, addTraceAttributes, markSpanFailed, traced, traceparent } from '@idsync/runtime';
import type { SendResult } from '../sending/http-sender.js';
import { keyOf, privateKeyOf, signedHeaders } from '../sign.js';
import type { DeliveryContext } from './delivery-context.js';

/** Result of an attempt, with its request unless the address was blocked. */
export type SentDelivery = SendResult & { request?: SentRequest };

/** Why nothing could be sent: keys that the webhook needs are missing. */
interface Unsigned {
  unsigned: string;
}

/** Signs and sends a delivery, unless its lease may end before the exchange does. */
export async function sendDelivery(
  { database, sender, settings, openSecret }: DeliveryContext,
  delivery: ClaimedDelivery,
  receiver: Receiver,
  leaseEnds: number,
): Promise<SentDelivery | Unsigned | 'too late'> {
  const { eventId, body } = await bodyOf(database, delivery);
  addLogContext({ event_id: eventId });
  const { tenantId } = delivery;
  const shared = receiver.secrets.flatMap((encrypted) => openSecret(encrypted, tenantId, keyOf) ?? []);
  const asymmetric = receiver.signingKeys.flatMap((encrypted) => openSecret(encrypted, tenantId, privateKeyOf) ?? []);
  // If this process was paused for long, its lease has expired and another process sends the delivery.
  if (performance.now() + settings.exchangeMs > leaseEnds) return 'too late';
  // Every receiver knows `v1`, not every one `v1a`.
  if (shared.length === 0) return { unsigned: 'no signing secret can be decrypted with the configured keys' };
  const additional = receiver.headers === null ? {} : openSecret(receiver.headers, tenantId, headersOf);
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

/** Headers of every request. Those of a webhook cannot replace the first two. */
function sentHeaders(more: Record<string, string>): Record<string, string> {
  return { 'content-type': 'application/json', 'user-agent': 'idsync-webhooks/1', ...more };
}

/** Parses the decrypted additional headers of a webhook. */
function headersOf(text: string): Record<string, string> {
  return JSON.parse(text) as Record<string, string>;
}

/** Replaces the values of additional headers, which are secrets, for the stored request. */
function masked(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.keys(headers).map((name) => [name, '***']));
}

/**
 * Returns the body to send. An erasure deletes rendered bodies; a body rendered afterwards contains nothing of the
 * person.
 */
async function bodyOf(database: Database, delivery: ClaimedDelivery): Promise<{ eventId: string; body: string }> {
  const { eventId, body } = await fullBodyOf(database, delivery);
  return { eventId, body: delivery.thin ? thinBody(body) : body };
}

async function fullBodyOf(
  database: Database,
  { tenantId, sequence, eventId, body }: ClaimedDelivery,
): Promise<{ eventId: string; body: string }> {
  if (eventId !== null && body !== null) return { eventId, body };
  return database.transaction(tenantId, async (tx) => {
    await lockPayloadsForRendering(tx);
    const { bodies } = await findEventBodies(tx, { first: sequence, last: sequence }, { limit: 1 });
    const [rendered] = bodies;
    if (!rendered) throw new Error(`event ${sequence} of its tenant is gone`);
    await savePayloads(tx, bodies);
    return rendered;
  });
}
