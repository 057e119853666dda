// SQL by hand: lateral joins and updates in bulk.
import { arraysOf, booleans, integers, times, uuids } from '../arrays.js';
import { searchAndWork } from '../by-tenant.js';
import type { Database, Transaction } from '../database.js';

/** A webhook that has due deliveries. */
export interface DueEndpoint {
  webhookId: string;
  tenantId: string;
  /** Until when a circuit breaker, possibly of another process, blocks calls. */
  openUntil: Date | null;
  /** When an attempt was requested while the endpoint failed; null once a process has taken the request. */
  probeAskedAt: Date | null;
  failures: number;
  trips: number;
  /** Age of its first due delivery. */
  seconds: number;
}

/** Address and signing secrets of a webhook. */
export interface Receiver {
  webhookId: string;
  callbackUrl: string;
  /** Encrypted; the newest first. */
  secrets: Buffer[];
  /** Private keys of asymmetric signatures; encrypted, the newest first. */
  signingKeys: Buffer[];
  /** Additional headers, encrypted; null if there are none. */
  headers: Buffer | null;
}

/** Result of a batch of attempts for one endpoint. */
export interface EndpointResult {
  webhookId: string;
  tenantId: string;
  /** Failures since the last success of the batch, or in the whole batch if there was none. */
  failures: number;
  succeeded: boolean;
  /** A delivery used up all its attempts. */
  exhausted: boolean;
  openUntil?: Date;
  trips: number;
}

/**
 * Finds active webhooks with due deliveries, in case a wake-up message was lost. Each webhook costs two reads at the
 * start of a partial index, independent of its length.
 */
export async function findDueEndpoints(tx: Transaction): Promise<DueEndpoint[]> {
  return tx.query<DueEndpoint>(
    `select w.id as "webhookId", w.tenant_id as "tenantId", e.open_until as "openUntil",
            e.probe_asked_at as "probeAskedAt", coalesce(e.failures, 0) as failures, coalesce(e.trips, 0) as trips,
            greatest(extract(epoch from now() - due.due_at), 0)::float8 as seconds
       from webhooks w left join webhook_endpoints e on e.tenant_id = w.tenant_id and e.webhook_id = w.id
      cross join lateral (
        (select due_at from webhook_deliveries
          where tenant_id = w.tenant_id and webhook_id = w.id and status = 'pending' and not is_retry
            and (lease_until is null or lease_until < now()) order by event_sequence limit 1)
        union all
        (select due_at from webhook_deliveries
          where tenant_id = w.tenant_id and webhook_id = w.id and status = 'pending' and is_retry
            and due_at <= now() and (lease_until is null or lease_until < now()) order by due_at limit 1)
        limit 1) as due
      where w.active`,
  );
}

/** Requests an attempt within the pause of a failing endpoint. Returns whether it is failing. */
export async function askForProbe(tx: Transaction, webhookId: string): Promise<boolean> {
  return tx.any(
    `update webhook_endpoints set probe_asked_at = now()
      where tenant_id = $1 and webhook_id = $2 and failures > 0 returning 1`,
    [tx.tenantId, webhookId],
  );
}

/** Takes the requested probes of these webhooks, so that one process makes each. Returns the webhooks that had one. */
export async function takeProbes(tx: Transaction, webhookIds: readonly string[]): Promise<string[]> {
  return tx.ids(
    `with asked as (
       select webhook_id from webhook_endpoints
        where tenant_id = $1 and webhook_id = any($2) and probe_asked_at is not null order by webhook_id for update)
     update webhook_endpoints set probe_asked_at = null
      where tenant_id = $1 and webhook_id = any(array(select webhook_id from asked)) returning webhook_id as id`,
    [tx.tenantId, uuids(webhookIds)],
  );
}

export async function findReceivers(tx: Transaction, webhookIds: readonly string[]): Promise<Receiver[]> {
  return tx.query<Receiver>(
    `select w.id as "webhookId", w.callback_url as "callbackUrl", array(
              select s.ciphertext from webhook_secrets s
               where s.webhook_id = w.id and s.tenant_id = $1 and (s.expires_at is null or s.expires_at > now())
               order by s.id desc) as secrets, array(
              select k.ciphertext from webhook_signing_keys k
               where k.webhook_id = w.id and k.tenant_id = $1 and (k.expires_at is null or k.expires_at > now())
               order by k.id desc) as "signingKeys",
            (select h.ciphertext from webhook_headers h where h.webhook_id = w.id and h.tenant_id = $1) as headers
       from webhooks w where w.tenant_id = $1 and w.id = any($2)`,
    [tx.tenantId, uuids(webhookIds)],
  );
}

/**
 * Saves results of webhooks of one tenant. A success resets the state; failures add up and never close a breaker that
 * another process opened.
 */
export async function saveEndpointResults(tx: Transaction, results: readonly EndpointResult[]): Promise<void> {
  await tx.query(
    `insert into webhook_endpoints as e (webhook_id, tenant_id, failures, trips, open_until, last_success_at,
                                         last_failure_at, failing_since, exhausted_at)
     select webhook_id, tenant_id, failures, trips, open_until, case when succeeded then now() end,
            case when failures > 0 then now() end, case when failures > 0 then now() end, case when exhausted then now() end
       from unnest($1::uuid[], $2::uuid[], $3::integer[], $4::boolean[], $5::boolean[], $6::timestamptz[], $7::integer[])
            as n (webhook_id, tenant_id, failures, succeeded, exhausted, open_until, trips)
      order by webhook_id
     on conflict (tenant_id, webhook_id) do update
        set failures = case when excluded.last_success_at is null then e.failures else 0 end + excluded.failures,
            trips = case when excluded.last_success_at is null
              then greatest(e.trips, excluded.trips) else excluded.trips end,
            open_until = case when excluded.last_success_at is null
              then greatest(e.open_until, excluded.open_until) else excluded.open_until end,
            probe_asked_at = case when excluded.last_success_at is null then e.probe_asked_at end,
            last_success_at = coalesce(excluded.last_success_at, e.last_success_at),
            last_failure_at = coalesce(excluded.last_failure_at, e.last_failure_at),
            failing_since = case when excluded.last_success_at is null
              then coalesce(e.failing_since, excluded.failing_since) else excluded.failing_since end,
            exhausted_at = case when excluded.last_success_at is null
              then coalesce(excluded.exhausted_at, e.exhausted_at) else excluded.exhausted_at end`,
    arraysOf(results, {
      webhookId: uuids,
      tenantId: uuids,
      failures: integers,
      succeeded: booleans,
      exhausted: booleans,
      openUntil: times,
      trips: integers,
    }),
  );
}

/**
 * Disables those webhooks that had no success for `afterMs` and have a delivery without attempts left. Undelivered
 * events are kept. Returns the ids of disabled webhooks.
 */
export async function disableFailingWebhooks(
  tx: Transaction,
  webhookIds: readonly string[],
  afterMs: number,
): Promise<string[]> {
  const failing = await tx.ids(
    `select webhook_id as id from webhook_endpoints
      where tenant_id = $1 and webhook_id = any($2) and exhausted_at is not null
        and failing_since <= now() - $3 * interval '1 millisecond'`,
    [tx.tenantId, uuids(webhookIds), afterMs],
  );
  const reason = 'no successful delivery for days, and a delivery used up all attempts';
  return disableWebhooks(tx, failing, reason);
}

export async function disableWebhooks(
  tx: Transaction,
  webhookIds: readonly string[],
  reason: string,
): Promise<string[]> {
  if (webhookIds.length === 0) return [];
  const ids = await tx.ids(
    `update webhooks set active = false, updated_at = now()
      where tenant_id = $1 and id = any($2) and active returning id`,
    [tx.tenantId, uuids(webhookIds)],
  );
  await tx.query(
    `update webhook_endpoints set disabled_at = now(), disabled_reason = $3, state_since = now()
      where tenant_id = $1 and webhook_id = any($2)`,
    [tx.tenantId, uuids(ids), reason],
  );
  return ids;
}

/** Resets the state of endpoints whose webhook was changed or enabled again. */
export async function resetChangedEndpoints(database: Database): Promise<string[]> {
  const changed = `from webhooks w
    where w.tenant_id = e.tenant_id and w.id = e.webhook_id and w.active and w.updated_at > e.state_since`;
  const ids: string[] = [];
  await searchAndWork(
    database,
    (tx) =>
      tx.query<{ id: string; tenantId: string }>(
        `select e.webhook_id as id, e.tenant_id as "tenantId" from webhook_endpoints e where exists (select ${changed})`,
      ),
    async (tx, found) => {
      const reset = await tx.ids(
        `update webhook_endpoints e
            set state_since = now(), failures = 0, trips = 0, open_until = null, failing_since = null,
                exhausted_at = null, disabled_at = null, disabled_reason = null
           ${changed} and e.tenant_id = $1 and e.webhook_id = any($2)
         returning e.webhook_id as id`,
        [tx.tenantId, uuids(found.map(({ id }) => id))],
      );
      ids.push(...reset);
      return reset.length;
    },
  );
  return ids;
}
