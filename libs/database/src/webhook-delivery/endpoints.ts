import { booleans, integers, times, uuids } from '../arrays.js';
import type { Transaction } from '../database.js';

/** A webhook with something due, as a look at all of them finds it. */
export interface DueEndpoint {
  webhookId: string;
  tenantId: string;
  /** Until when its breaker, or the breaker of another process, keeps it from being called. */
  openUntil: Date | null;
  failures: number;
  trips: number;
  /** How long its first due delivery has been waiting. */
  seconds: number;
}

/** Where to send, and what to sign with. */
export interface Receiver {
  webhookId: string;
  callbackUrl: string;
  /** Sealed; the newest first. */
  secrets: Buffer[];
}

/** What a batch of attempts told of an endpoint. */
export interface EndpointNews {
  webhookId: string;
  tenantId: string;
  /** Failures since the last success of the batch, or since its beginning. */
  failures: number;
  succeeded: boolean;
  /** A delivery was given up. */
  exhausted: boolean;
  openUntil?: Date;
  trips: number;
}

/**
 * Active webhooks with due deliveries: the safety net under the messages that wake the dispatcher. Each costs two looks at the
 * beginning of a partial index, whatever lies behind it.
 */
export async function findDueEndpoints(tx: Transaction): Promise<DueEndpoint[]> {
  return tx.query<DueEndpoint>(
    `select w.id as "webhookId", w.tenant_id as "tenantId", e.open_until as "openUntil",
            coalesce(e.failures, 0) as failures, coalesce(e.trips, 0) as trips,
            greatest(extract(epoch from now() - due.due_at), 0)::float8 as seconds
       from webhooks w left join webhook_endpoints e on e.webhook_id = w.id
      cross join lateral (
        (select due_at from webhook_deliveries where webhook_id = w.id and status = 'pending' and not is_retry
            and (lease_until is null or lease_until < now()) order by event_sequence limit 1)
        union all
        (select due_at from webhook_deliveries where webhook_id = w.id and status = 'pending' and is_retry
            and due_at <= now() and (lease_until is null or lease_until < now()) order by due_at limit 1)
        limit 1) as due
      where w.active`,
  );
}

export async function findReceivers(tx: Transaction, webhookIds: readonly string[]): Promise<Receiver[]> {
  return tx.query<Receiver>(
    `select w.id as "webhookId", w.callback_url as "callbackUrl", array(
              select s.ciphertext from webhook_secrets s
               where s.webhook_id = w.id and (s.expires_at is null or s.expires_at > now())
               order by s.id desc) as secrets
       from webhooks w where w.id = any($1)`,
    [uuids(webhookIds)],
  );
}

/** A success wipes out what was; failures add up, and never close the breaker that another process opened. */
export async function saveEndpointNews(tx: Transaction, news: readonly EndpointNews[]): Promise<void> {
  await tx.query(
    `insert into webhook_endpoints as e (webhook_id, tenant_id, failures, trips, open_until, last_success_at,
                                         last_failure_at, failing_since, exhausted_at)
     select webhook_id, tenant_id, failures, trips, open_until, case when succeeded then now() end,
            case when failures > 0 then now() end, case when failures > 0 then now() end, case when exhausted then now() end
       from unnest($1::uuid[], $2::uuid[], $3::integer[], $4::boolean[], $5::boolean[], $6::timestamptz[], $7::integer[])
            as n (webhook_id, tenant_id, failures, succeeded, exhausted, open_until, trips)
      order by webhook_id
     on conflict (webhook_id) do update
        set failures = case when excluded.last_success_at is null then e.failures else 0 end + excluded.failures,
            trips = case when excluded.last_success_at is null
              then greatest(e.trips, excluded.trips) else excluded.trips end,
            open_until = case when excluded.last_success_at is null
              then greatest(e.open_until, excluded.open_until) else excluded.open_until end,
            last_success_at = coalesce(excluded.last_success_at, e.last_success_at),
            last_failure_at = coalesce(excluded.last_failure_at, e.last_failure_at),
            failing_since = case when excluded.last_success_at is null
              then coalesce(e.failing_since, excluded.failing_since) else excluded.failing_since end,
            exhausted_at = case when excluded.last_success_at is null
              then coalesce(excluded.exhausted_at, e.exhausted_at) else excluded.exhausted_at end`,
    [
      uuids(news.map(({ webhookId }) => webhookId)),
      uuids(news.map(({ tenantId }) => tenantId)),
      integers(news.map(({ failures }) => failures)),
      booleans(news.map(({ succeeded }) => succeeded)),
      booleans(news.map(({ exhausted }) => exhausted)),
      times(news.map(({ openUntil }) => openUntil)),
      integers(news.map(({ trips }) => trips)),
    ],
  );
}

/**
 * Switches off those of the webhooks that had no success for so long although a delivery was given up. What was not delivered
 * stays. Returns whom it switched off.
 */
export async function disableFailingWebhooks(
  tx: Transaction,
  webhookIds: readonly string[],
  afterMs: number,
): Promise<string[]> {
  const failing = await tx.query<{ id: string }>(
    `select webhook_id as id from webhook_endpoints
      where webhook_id = any($1) and exhausted_at is not null and failing_since <= now() - $2 * interval '1 millisecond'`,
    [uuids(webhookIds), afterMs],
  );
  return disableWebhooks(
    tx,
    failing.map(({ id }) => id),
    'no success for days, and a delivery was given up',
  );
}

export async function disableWebhooks(
  tx: Transaction,
  webhookIds: readonly string[],
  reason: string,
): Promise<string[]> {
  if (webhookIds.length === 0) return [];
  const rows = await tx.query<{ id: string }>(
    'update webhooks set active = false, updated_at = now() where id = any($1) and active returning id',
    [uuids(webhookIds)],
  );
  const ids = rows.map(({ id }) => id);
  await tx.query(
    `update webhook_endpoints set disabled_at = now(), disabled_reason = $2, state_since = now() where webhook_id = any($1)`,
    [uuids(ids), reason],
  );
  return ids;
}

/** Whoever changes a webhook or switches it on again starts afresh: what was learnt of it before counts no more. */
export async function forgetChangedEndpoints(tx: Transaction): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(
    `update webhook_endpoints e
        set state_since = now(), failures = 0, trips = 0, open_until = null, failing_since = null, exhausted_at = null,
            disabled_at = null, disabled_reason = null
       from webhooks w where w.id = e.webhook_id and w.active and w.updated_at > e.state_since
     returning e.webhook_id as id`,
  );
  return rows.map(({ id }) => id);
}
