import { encodeId, type responses } from '@idsync/contracts';
import type { DeliveryDetails, DeliveryRow, ReplayRow } from '@idsync/database/gateway';

export function presentDelivery(row: DeliveryRow): responses.Delivery {
  return {
    id: encodeId('delivery', row.id),
    webhook_id: encodeId('webhook', row.webhookId),
    event_id: row.eventId === null ? undefined : encodeId('event', row.eventId),
    event_type: row.eventType,
    sequence: row.sequence,
    occurred_at: row.occurredAt?.toISOString(),
    status: row.status,
    in_flight: row.inFlight,
    tries: row.tries,
    created_at: row.createdAt.toISOString(),
    due_at: row.status === 'pending' ? row.dueAt.toISOString() : undefined,
    ended_at: row.endedAt?.toISOString(),
    last_outcome: row.outcome ?? undefined,
    last_status_code: row.statusCode ?? undefined,
    last_error: row.error ?? undefined,
  };
}

export function presentDeliveryDetails({ attemptRows, body, ...row }: DeliveryDetails): responses.DeliveryDetails {
  return {
    ...presentDelivery(row),
    attempts: attemptRows.map((attempt) => ({
      number: attempt.number,
      started_at: attempt.startedAt.toISOString(),
      ended_at: attempt.endedAt?.toISOString(),
      outcome: attempt.outcome ?? undefined,
      status_code: attempt.statusCode ?? undefined,
      error: attempt.error ?? undefined,
      request: attempt.request ?? undefined,
      response_headers: attempt.responseHeaders ?? undefined,
      response_body: attempt.responseBody ?? undefined,
      duration_ms: attempt.durationMs ?? undefined,
    })),
    body: body ?? undefined,
  };
}

export function presentReplay(row: ReplayRow): responses.Replay {
  const { delivery_id, since, until, events } = row.filter;
  return {
    replay_id: encodeId('replay', row.id),
    webhook_id: encodeId('webhook', row.webhookId),
    kind: row.kind,
    status: row.status,
    delivery_id: delivery_id === undefined ? undefined : encodeId('delivery', delivery_id),
    since,
    until,
    events,
    requested_by: row.requestedBy,
    created_at: row.createdAt.toISOString(),
    ended_at: row.endedAt?.toISOString(),
    progress_pct: progress(row),
    total: row.total ?? undefined,
    looked_at: row.lookedAt,
    made_due: row.done,
  };
}

/** Returns 100 only for a replay that is done. */
function progress({ status, total, lookedAt }: ReplayRow): number {
  if (status === 'done') return 100;
  return total ? Math.min(Math.floor((100 * lookedAt) / total), 99) : 0;
}
