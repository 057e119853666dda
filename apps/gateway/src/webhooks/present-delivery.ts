import { type BreakerState, encodeId, type responses } from '@idsync/contracts';
import type {
  AttemptStatistics,
  DeliveryDetails,
  DeliveryRow,
  FailureRow,
  ReplayRow,
  WebhookHealthRow,
} from '@idsync/database/gateway';
import { presentWebhook } from '../present.js';

/** Maps rows of webhooks and deliveries to responses of the operator API. Unknown values are omitted. */

export function presentWebhookHealth(row: WebhookHealthRow): responses.WebhookHealth {
  const counted = (count: number) => ({ count: Math.min(count, row.countedTo), exact: count <= row.countedTo });
  return {
    ...presentWebhook(row),
    pending: counted(row.pending),
    dead: counted(row.dead),
    oldest_due_at: row.oldestDueAt?.toISOString(),
    breaker: { state: breakerState(row.openUntil), open_until: row.openUntil?.toISOString() },
    failures: row.failures,
    last_success_at: row.lastSuccessAt?.toISOString(),
    last_failure_at: row.lastFailureAt?.toISOString(),
    disabled_at: row.disabledAt?.toISOString(),
    disabled_reason: row.disabledReason ?? undefined,
  };
}

function breakerState(openUntil: Date | null): BreakerState {
  if (openUntil === null) return 'closed';
  return openUntil.getTime() > Date.now() ? 'open' : 'half_open';
}

export function presentWebhookDetails(
  row: WebhookHealthRow,
  failure: FailureRow | undefined,
  statistics: AttemptStatistics,
): responses.WebhookDetails {
  return {
    ...presentWebhookHealth(row),
    inactive: inactivity(row),
    last_error: failure && {
      delivery_id: encodeId('delivery', failure.deliveryId),
      at: failure.at.toISOString(),
      outcome: failure.outcome,
      status_code: failure.statusCode ?? undefined,
      error: failure.error ?? undefined,
    },
    statistics: presentStatistics(statistics),
  };
}

/** A state of the endpoint from before a client deactivated the webhook is outdated. */
function inactivity(row: WebhookHealthRow): responses.WebhookDetails['inactive'] {
  if (row.active) return undefined;
  if (row.deactivatedAt)
    return {
      by: 'client',
      key_id: row.deactivatedBy === null ? undefined : encodeId('apiKey', row.deactivatedBy),
      at: row.deactivatedAt.toISOString(),
      reason: 'a request set active to false',
    };
  if (!row.disabledAt) return undefined;
  return { by: 'service', at: row.disabledAt.toISOString(), reason: row.disabledReason ?? 'deliveries failed' };
}

export function presentStatistics({
  since,
  attempts,
  outcomes,
  p50,
  p99,
  hours,
}: AttemptStatistics): responses.WebhookDetails['statistics'] {
  const { unknown = 0, ...known } = outcomes;
  const ended = Object.values(known).reduce((sum, count) => sum + count, 0);
  return {
    since: since.toISOString(),
    attempts,
    success_rate: ended === 0 ? undefined : (outcomes.delivered ?? 0) / ended,
    duration_ms: p50 === null || p99 === null ? undefined : { p50, p99 },
    outcomes,
    hours: hours.map(({ at, ...counts }) => ({ at: new Date(at).toISOString(), ...counts })),
  };
}

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
