// SQL by hand: lateral joins that remain index lookups.
import { type AttemptOutcome, type DeliveryStatus, thinBody } from '@idsync/contracts';
import type { Transaction } from '../database.js';
import {
  EventPayloadEntity,
  WebhookAttemptEntity,
  WebhookDeliveryEntity,
} from '../entities/webhook-delivery.entities.js';

/** A position in the list, which is sorted by descending event sequence and webhook id. */
export interface DeliveryPosition {
  sequence: number;
  webhookId: string;
}

export interface DeliveryRow extends DeliveryPosition {
  id: string;
  eventType: string;
  /** Null if the event was deleted. */
  eventId: string | null;
  occurredAt: Date | null;
  status: DeliveryStatus;
  /** Number of attempts that were started. */
  tries: number;
  inFlight: boolean;
  createdAt: Date;
  dueAt: Date;
  endedAt: Date | null;
  /** Outcome of the last attempt; null if there is none, or while it is in flight. */
  outcome: AttemptOutcome | null;
  statusCode: number | null;
  error: string | null;
}

export interface DeliveryDetails extends DeliveryRow {
  /** The newest hundred, the oldest first. */
  attemptRows: WebhookAttemptEntity[];
  /** Null if the payload was deleted, or is not rendered again yet. */
  body: string | null;
}

const maxAttempts = 100;

/** Selects the columns of delivery lists; `$1` is the tenant. */
export const shownDeliveries = (from: string) => `
  select d.id, d.webhook_id as "webhookId", d.event_sequence as sequence, d.event_type as "eventType", event.id as "eventId",
         event.occurred_at as "occurredAt", d.status, d.tries, coalesce(d.lease_until > now(), false) as "inFlight",
         d.created_at as "createdAt", d.due_at as "dueAt", d.ended_at as "endedAt", attempt.outcome,
         attempt.status_code as "statusCode", attempt.error
    from ${from} as d
    left join lateral (
      select id, occurred_at from events where tenant_id = $1 and sequence = d.event_sequence limit 1) as event on true
    left join lateral (
      select outcome, status_code, error from webhook_attempts
       where tenant_id = $1 and delivery_id = d.id and number = d.tries limit 1) as attempt on true`;

/** Finds a delivery with its attempts and payload. */
export async function findDelivery(
  tx: Transaction,
  tenantId: string,
  id: string,
): Promise<DeliveryDetails | undefined> {
  const [row] = await tx.query<DeliveryRow>(
    shownDeliveries('(select * from webhook_deliveries where tenant_id = $1 and id = $2)'),
    [tenantId, id],
  );
  if (!row) return undefined;
  const attempts = await tx.manager.find(WebhookAttemptEntity, {
    where: { tenantId, deliveryId: id },
    order: { number: 'DESC' },
    take: maxAttempts,
  });
  const delivery = await tx.manager.findOneBy(WebhookDeliveryEntity, { tenantId, id });
  const payload = await tx.manager.findOneBy(EventPayloadEntity, { tenantId, sequence: row.sequence });
  const body = payload && delivery?.thin ? thinBody(payload.body) : payload?.body;
  return { ...row, attemptRows: attempts.reverse(), body: body ?? null };
}
