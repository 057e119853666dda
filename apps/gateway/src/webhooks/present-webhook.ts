import { type BreakerState, encodeId, type responses } from '@idsync/contracts';
import type { AttemptStatistics, FailureRow, WebhookHealthRow, WebhookRow } from '@idsync/database/gateway';
import { presentCount } from '../shared/present-count.js';

export function presentWebhook(row: WebhookRow): responses.Webhook {
  return {
    id: encodeId('webhook', row.id),
    callback_url: row.callbackUrl,
    events: row.events,
    active: row.active,
    created_at: row.createdAt.toISOString(),
    ...(row.filter && { filter: row.filter }),
    ...(row.payload === 'thin' && { payload: row.payload }),
    ...(row.headerNames.length > 0 && { header_names: row.headerNames }),
    ...(row.disabledAt && { disabled_at: row.disabledAt.toISOString() }),
    ...(row.disabledReason && { disabled_reason: row.disabledReason }),
  };
}

export function presentWebhookHealth(row: WebhookHealthRow): responses.WebhookHealth {
  return {
    ...presentWebhook(row),
    pending: presentCount(row.pending, row.countedTo),
    dead: presentCount(row.dead, row.countedTo),
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
  timed,
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
    duration_ms: p50 === null || p99 === null ? undefined : { p50, p99, attempts: timed },
    outcomes,
    hours: hours.map(({ at, ...counts }) => ({ at: new Date(at).toISOString(), ...counts })),
  };
}
