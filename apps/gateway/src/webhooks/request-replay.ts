import { requests, type responses } from '@idsync/contracts';
import type { Transaction } from '@idsync/database';
import { findDelivery, lockWebhook, type ReplayRequest, requestReplay } from '@idsync/database/gateway';
import { ApiError, badRequest, orNotFound } from '../http/api-error.js';
import { presentReplay } from './present-delivery.js';

interface ReplayBounds {
  /** Absent for operators. */
  maxQueued?: number;
}

/** Bounds for replays that a client requests. */
export const clientBounds: ReplayBounds = { maxQueued: requests.maxQueuedReplays };

/** Seconds until some of the queued replays have probably begun. */
const retryAfterSeconds = 5;

/**
 * Requests a replay. Returns undefined if the webhook does not exist. Throws a 400 if it is inactive, and a 429 if too
 * many replays of it wait.
 */
export async function replay(
  tx: Transaction,
  tenantId: string,
  request: ReplayRequest,
  { maxQueued }: ReplayBounds = {},
): Promise<responses.Replay | undefined> {
  const webhook = await lockWebhook(tx, tenantId, request.webhookId);
  if (!webhook) return undefined;
  // The deliveries would become due and be sent unexpectedly when the webhook is activated later.
  if (!webhook.active) throw inactiveWebhook();
  const requested = await requestReplay(tx, tenantId, request, maxQueued);
  if (!requested)
    throw new ApiError(429, `the webhook has ${maxQueued} waiting replays, which is the maximum`, retryAfterSeconds);
  return presentReplay(requested);
}

/** Requests that a delivery is sent again; with a `webhookId`, only a delivery of this webhook. */
export async function resend(
  tx: Transaction,
  tenantId: string,
  { deliveryId, webhookId, requestedBy }: { deliveryId: string; webhookId?: string; requestedBy: string },
  bounds?: ReplayBounds,
): Promise<responses.Replay> {
  const delivery = orNotFound(await findDelivery(tx, tenantId, deliveryId));
  orNotFound(webhookId === undefined || webhookId === delivery.webhookId);
  const filter = { delivery_id: deliveryId };
  const request = { webhookId: delivery.webhookId, kind: 'resend' as const, filter, requestedBy };
  const requested = await replay(tx, tenantId, request, bounds);
  if (!requested) throw badRequest('the webhook of this delivery was deleted');
  return requested;
}

export const inactiveWebhook = () => badRequest('the webhook is inactive: activate it first');
