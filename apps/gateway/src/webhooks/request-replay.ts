import { requests, type responses } from '@idsync/contracts';
import type { Transaction } from '@idsync/database';
import { type DeliveryRow, lockWebhook, type ReplayRequest, requestReplay } from '@idsync/database/gateway';
import { actorName, currentCaller } from '../audit/request-context.js';
import { ApiError, badRequest, notFound } from '../http/api-error.js';
import { presentReplay } from './present-delivery.js';

/** A replay that a client requests, or an operator who may claim a name. */
type RequestedReplay = Omit<ReplayRequest, 'requestedBy'> & { by?: string | undefined };

/** Seconds until some of the queued replays have probably begun. */
const retryAfterSeconds = 5;

/**
 * Requests a replay. Throws a 404 (or `unknown`) if the webhook does not exist, a 400 if it is inactive, and a 429 if a
 * client has too many replays of it wait.
 */
export async function replay(
  tx: Transaction,
  { by, ...request }: RequestedReplay,
  unknown = notFound,
): Promise<responses.Replay> {
  const webhook = await lockWebhook(tx, request.webhookId);
  if (!webhook) throw unknown();
  // The deliveries would become due and be sent unexpectedly when the webhook is activated later.
  if (!webhook.active) throw inactiveWebhook();
  const maxQueued = currentCaller().access === 'operator' ? undefined : requests.maxQueuedReplays;
  const requested = await requestReplay(tx, { ...request, requestedBy: actorName(by) }, maxQueued);
  if (!requested)
    throw new ApiError(429, `the webhook has ${maxQueued} waiting replays, which is the maximum`, retryAfterSeconds);
  return presentReplay(requested);
}

/** Requests that a delivery is sent again. */
export function resend(
  tx: Transaction,
  { id, webhookId }: DeliveryRow,
  by: string | undefined,
): Promise<responses.Replay> {
  const request = { webhookId, kind: 'resend' as const, filter: { delivery_id: id }, by };
  return replay(tx, request, () => badRequest('the webhook of this delivery was deleted'));
}

export const inactiveWebhook = () => badRequest('the webhook is inactive: activate it first');
