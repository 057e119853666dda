// SQL by hand: bounded counts from lateral joins.
import type { AttemptOutcome } from '@idsync/contracts';
import type { Transaction } from '../../database.js';
import { useIndexScans } from '../../transaction-settings.js';
import { maxCounted } from '../page.js';
import { attemptsOf, lastHours } from './hours.js';
import { maxWebhooks, type WebhookRow } from './webhooks.js';

/** Health of a webhook. */
export interface WebhookHealthRow extends WebhookRow {
  /** Counted up to `countedTo`; `countedTo` + 1 means that there are more. */
  pending: number;
  dead: number;
  countedTo: number;
  /** Due time of the oldest pending delivery; null if there is none. */
  oldestDueAt: Date | null;
  /** Failed attempts since the last success. */
  failures: number;
  openUntil: Date | null;
  lastSuccessAt: Date | null;
  lastFailureAt: Date | null;
  disabledAt: Date | null;
  disabledReason: string | null;
  /** When a client deactivated the webhook, and with which key. */
  deactivatedAt: Date | null;
  deactivatedBy: string | null;
}

/** A failed attempt. */
export interface FailureRow {
  deliveryId: string;
  at: Date;
  outcome: AttemptOutcome;
  statusCode: number | null;
  error: string | null;
}

/** Attempts that have ended since the begin of the oldest hour. */
export interface AttemptStatistics {
  since: Date;
  attempts: number;
  /** Number of the newest attempts of which the percentiles are. */
  timed: number;
  /** Milliseconds; null if none has a duration. */
  p50: number | null;
  p99: number | null;
  /** Number of attempts by outcome. */
  outcomes: Record<string, number>;
  /** The last 24 hours, the oldest first. */
  hours: { at: string; delivered: number; failed: number }[];
}

/** Maximum number of deliveries of one status that a list counts for all of its webhooks together. */
const listCountLimit = 50_000;
const maxTimed = 10_000;
const attemptsOfLastFailure = 100;

/** Counts by ranges of the partial indexes of pending and dead deliveries, each read only up to the limit. */
const health = `
  select w.id, w.callback_url as "callbackUrl", w.events, w.active, w.created_at as "createdAt", w.filter, w.payload, w.header_names as "headerNames",
         w.deactivated_at as "deactivatedAt", w.deactivated_by as "deactivatedBy",
         waiting.firsts + waiting.retries as pending, waiting.dead, $2::integer as "countedTo",
         least(waiting.first_due_at, waiting.retry_due_at) as "oldestDueAt",
         coalesce(known.failures, 0) as failures, known.open_until as "openUntil", known.disabled_at as "disabledAt",
         known.disabled_reason as "disabledReason", e.last_success_at as "lastSuccessAt", e.last_failure_at as "lastFailureAt"
    from webhooks w
    left join webhook_endpoints e on e.tenant_id = $1 and e.webhook_id = w.id
    -- State from before a change of the webhook is ignored; the dispatcher resets it when it polls next.
    left join lateral (select e.failures, e.open_until, e.disabled_at, e.disabled_reason
                        where not (w.active and w.updated_at > e.state_since)) as known on true
    cross join lateral (
      select (select count(*) from (
                select from webhook_deliveries where tenant_id = $1 and webhook_id = w.id and status = 'pending' and not is_retry
                 order by event_sequence limit $2 + 1) as d) as firsts,
             (select count(*) from (
                select from webhook_deliveries where tenant_id = $1 and webhook_id = w.id and status = 'pending' and is_retry
                 order by due_at limit $2 + 1) as d) as retries,
             (select count(*) from (
                select from webhook_deliveries where tenant_id = $1 and webhook_id = w.id and status = 'dead'
                 order by event_sequence limit $2 + 1) as d) as dead,
             (select due_at from webhook_deliveries where tenant_id = $1 and webhook_id = w.id and status = 'pending' and not is_retry
               order by event_sequence limit 1) as first_due_at,
             (select due_at from webhook_deliveries where tenant_id = $1 and webhook_id = w.id and status = 'pending' and is_retry
               order by due_at limit 1) as retry_due_at) as waiting
   where w.tenant_id = $1`;

/** Lists all webhooks of a tenant. The count limit decreases with their number. */
export async function listWebhookHealth(tx: Transaction): Promise<WebhookHealthRow[]> {
  const webhooks = await tx.count('select count(*) from webhooks where tenant_id = $1', [tx.tenantId]);
  const limit = Math.floor(listCountLimit / Math.min(Math.max(webhooks, 1), maxWebhooks));
  await useIndexScans(tx);
  return tx.query<WebhookHealthRow>(`${health} order by w.created_at, w.id`, [
    tx.tenantId,
    Math.min(limit, maxCounted),
  ]);
}

export async function findWebhookHealth(tx: Transaction, id: string): Promise<WebhookHealthRow | undefined> {
  await useIndexScans(tx);
  return tx.row<WebhookHealthRow>(`${health} and w.id = $3`, [tx.tenantId, maxCounted, id]);
}

/** Counts the attempts that have ended in this hour and the 23 before it. */
export async function findAttemptStatistics(tx: Transaction, webhookId: string): Promise<AttemptStatistics> {
  await useIndexScans(tx);
  const [row] = await tx.query<AttemptStatistics>(
    `with hours as materialized (${lastHours}),
     ended as materialized (
       select hours.at, c.outcome, c.attempts from hours cross join lateral (
         select outcome, attempts from webhook_hours
          where tenant_id = $1 and hour = hours.at and webhook_id = $2 offset 0) as c),
     newest as materialized (
       select duration_ms from webhook_attempts
        where tenant_id = $1 and webhook_id = $2 and started_at >= (select min(at) from hours) and duration_ms is not null
        order by started_at desc limit $3)
     select (select min(at) from hours) as since,
            (select coalesce(sum(attempts), 0)::bigint from ended) as attempts,
            (select coalesce(jsonb_object_agg(outcome, attempts), '{}') from (
               select outcome, sum(attempts) as attempts from ended group by outcome) as o) as outcomes,
            (select jsonb_agg(h order by at) from (
               select at, ${attemptsOf('delivered')} as delivered, ${attemptsOf('failed')} as failed
                 from hours left join ended using (at) group by at) as h) as hours,
            count(*) as timed,
            percentile_disc(0.5) within group (order by duration_ms) as p50,
            percentile_disc(0.99) within group (order by duration_ms) as p99
       from newest`,
    [tx.tenantId, webhookId, maxTimed],
  );
  if (!row) throw new Error('the statistics query returned no row');
  return row;
}

/** Finds the newest failed attempt among the last hundred. */
export async function findLastFailure(tx: Transaction, webhookId: string): Promise<FailureRow | undefined> {
  await useIndexScans(tx);
  return tx.row<FailureRow>(
    `select delivery_id as "deliveryId", coalesce(ended_at, started_at) as at, outcome, status_code as "statusCode", error
       from (select * from webhook_attempts where tenant_id = $1 and webhook_id = $2
              order by started_at desc limit $3) as newest
      where outcome not in ('delivered', 'unknown') order by started_at desc limit 1`,
    [tx.tenantId, webhookId, attemptsOfLastFailure],
  );
}
