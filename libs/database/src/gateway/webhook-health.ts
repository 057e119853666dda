import type { Transaction } from '../database.js';
import { readInOrder } from './read-in-order.js';
import { mostWebhooks, type WebhookRow } from './webhooks.js';

/** How a webhook fares. */
export interface WebhookHealthRow extends WebhookRow {
  /** Counted up to `countedTo` and no further; one more means that there are more. */
  pending: number;
  dead: number;
  countedTo: number;
  /** When the first of what is pending was or is due; null if nothing is. */
  oldestDueAt: Date | null;
  /** Failed attempts since the last success. */
  failures: number;
  openUntil: Date | null;
  lastSuccessAt: Date | null;
  lastFailureAt: Date | null;
  disabledAt: Date | null;
  disabledReason: string | null;
}

/** Attempts of the last 24 hours that have ended or are under way, the newest of them if they are very many. */
export interface AttemptStatistics {
  since: Date;
  attempts: number;
  /** Milliseconds; null if none has a duration. */
  p50: number | null;
  p99: number | null;
  /** How many ended how. */
  outcomes: Record<string, number>;
}

const mostCounted = 10_000;
/** Deliveries of one kind that a list counts for all of its webhooks together. */
const mostCountedInList = 50_000;
const mostAttempts = 10_000;

/** Ranges of the partial indexes of what is pending and dead, each read no further than it is counted. */
const health = `
  select w.id, w.callback_url as "callbackUrl", w.events, w.active, w.created_at as "createdAt",
         waiting.firsts + waiting.retries as pending, waiting.dead, $2::integer as "countedTo",
         least(waiting.first_due_at, waiting.retry_due_at) as "oldestDueAt",
         coalesce(known.failures, 0) as failures, known.open_until as "openUntil", known.disabled_at as "disabledAt",
         known.disabled_reason as "disabledReason", e.last_success_at as "lastSuccessAt", e.last_failure_at as "lastFailureAt"
    from webhooks w
    left join webhook_endpoints e on e.tenant_id = $1 and e.webhook_id = w.id
    -- Of a webhook that was changed since, the rest counts no more; the dispatcher forgets it with its next look.
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

/** All webhooks of a tenant; the more they are, the less far their deliveries are counted. */
export async function listWebhookHealth(tx: Transaction, tenantId: string): Promise<WebhookHealthRow[]> {
  const [webhooks] = await tx.query<{ count: number }>('select count(*) from webhooks where tenant_id = $1', [
    tenantId,
  ]);
  const share = Math.floor(mostCountedInList / Math.min(Math.max(webhooks?.count ?? 1, 1), mostWebhooks));
  await readInOrder(tx);
  return tx.query<WebhookHealthRow>(`${health} order by w.created_at, w.id`, [tenantId, Math.min(share, mostCounted)]);
}

export async function findWebhookHealth(
  tx: Transaction,
  tenantId: string,
  id: string,
): Promise<WebhookHealthRow | undefined> {
  await readInOrder(tx);
  const [row] = await tx.query<WebhookHealthRow>(`${health} and w.id = $3`, [tenantId, mostCounted, id]);
  return row;
}

/** Of the newest 10 000 attempts at the most; `since` is then when the first of these began. */
export async function findAttemptStatistics(
  tx: Transaction,
  tenantId: string,
  webhookId: string,
): Promise<AttemptStatistics> {
  await readInOrder(tx);
  const [row] = await tx.query<AttemptStatistics>(
    `with newest as materialized (
       select started_at, outcome, duration_ms from webhook_attempts
        where tenant_id = $1 and webhook_id = $2 and started_at > now() - interval '24 hours'
        order by started_at desc limit $3)
     select case when count(*) < $3 then now() - interval '24 hours' else min(started_at) end as since,
            count(*) as attempts,
            percentile_disc(0.5) within group (order by duration_ms) as p50,
            percentile_disc(0.99) within group (order by duration_ms) as p99,
            (select coalesce(jsonb_object_agg(outcome, count), '{}') from (
               select outcome, count(*) from newest where outcome is not null group by outcome) as o) as outcomes
       from newest`,
    [tenantId, webhookId, mostAttempts],
  );
  if (!row) throw new Error('an aggregate without a row');
  return row;
}
