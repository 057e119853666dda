import type { AttemptOutcome, DeliveryStatus } from '@idsync/contracts';
import type { Transaction } from '../database.js';

/** A place in the list, which is sorted by the sequence of the event and then by webhook, the highest first. */
export interface DeliveryPosition {
  sequence: number;
  webhookId: string;
}

export interface DeliveryRow extends DeliveryPosition {
  id: string;
  eventType: string;
  /** Null if the event has gone. */
  eventId: string | null;
  occurredAt: Date | null;
  status: DeliveryStatus;
  /** Attempts that were begun. */
  tries: number;
  inFlight: boolean;
  createdAt: Date;
  dueAt: Date;
  endedAt: Date | null;
  /** Of the last attempt; null if there is none, or while it is under way. */
  outcome: AttemptOutcome | null;
  statusCode: number | null;
  error: string | null;
}

export interface AttemptRow {
  number: number;
  startedAt: Date;
  endedAt: Date | null;
  outcome: AttemptOutcome | null;
  statusCode: number | null;
  error: string | null;
  responseBody: string | null;
  durationMs: number | null;
}

export interface DeliveryDetails extends DeliveryRow {
  /** The newest hundred, the oldest first. */
  attemptRows: AttemptRow[];
  /** Null if it was forgotten, or not rendered anew yet. */
  body: string | null;
}

const mostAttempts = 100;

/** Deliveries as they are shown; `$1` is the tenant. */
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

/** One delivery with its attempts and what is sent. */
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
  const attempts = await tx.query<AttemptRow>(
    `select number, started_at as "startedAt", ended_at as "endedAt", outcome, status_code as "statusCode", error,
            response_body as "responseBody", duration_ms as "durationMs"
       from webhook_attempts where tenant_id = $1 and delivery_id = $2 order by number desc limit $3`,
    [tenantId, id, mostAttempts],
  );
  const [payload] = await tx.query<{ body: string }>(
    'select body from event_payloads where tenant_id = $1 and sequence = $2',
    [tenantId, row.sequence],
  );
  return { ...row, attemptRows: attempts.reverse(), body: payload?.body ?? null };
}
