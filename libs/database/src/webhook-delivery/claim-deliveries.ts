import { bigints, integers, uuids } from '../arrays.js';
import type { Transaction } from '../database.js';

/** How many deliveries of a webhook somebody has room for. */
export interface ClaimRequest {
  webhookId: string;
  firstRoom: number;
  retryRoom: number;
  /** First attempts are looked for above this sequence only: below, the index may hold nothing but what has gone. */
  floor: number;
}

/** The right to make one attempt. Its number is the fence: whoever claims the delivery later has a higher one. */
export interface ClaimedDelivery {
  id: string;
  tenantId: string;
  webhookId: string;
  sequence: number;
  number: number;
  /** Steps of the schedule that are spent. */
  attempts: number;
  isRetry: boolean;
  /** Null if they are to be rendered anew: an erasure took them. */
  eventId: string | null;
  body: string | null;
  /** Of what made the event happen. */
  traceparent: string | null;
}

/**
 * Takes leases on due deliveries and writes down the attempts that follow, before anything is sent. An attempt whose lease ran
 * out is marked `unknown`.
 *
 * A claim changes no indexed column, so that it costs no index entry (HOT); what is in flight stays in its index and is passed
 * over, which are as many rows as the webhook may have in flight. Each lane is one range of one partial index: with a million due it
 * takes what it takes with a thousand.
 */
export async function claimDeliveries(
  tx: Transaction,
  requests: readonly ClaimRequest[],
  leaseMs: number,
): Promise<ClaimedDelivery[]> {
  return tx.query<ClaimedDelivery>(
    `with wanted as (
       select w.* from unnest($1::uuid[], $2::integer[], $3::integer[], $4::bigint[])
              as w (webhook_id, first_room, retry_room, floor)
         join webhooks on webhooks.id = w.webhook_id and webhooks.active),
     firsts as (
       select d.* from wanted cross join lateral (
         select id, lease_until is not null as reclaimed from webhook_deliveries
          where webhook_id = wanted.webhook_id and status = 'pending' and not is_retry
            and event_sequence > wanted.floor and (lease_until is null or lease_until < now())
          order by event_sequence limit wanted.first_room for update skip locked) as d),
     retries as (
       select d.* from wanted cross join lateral (
         select id, lease_until is not null as reclaimed from webhook_deliveries
          where webhook_id = wanted.webhook_id and status = 'pending' and is_retry
            and due_at <= now() and (lease_until is null or lease_until < now())
          order by due_at limit wanted.retry_room for update skip locked) as d),
     claimed as (
       update webhook_deliveries d set tries = d.tries + 1, lease_until = now() + $5 * interval '1 millisecond'
         from (select * from firsts union all select * from retries) as picked where d.id = picked.id
       returning d.id, d.tenant_id, d.webhook_id, d.event_sequence, d.tries, d.attempts, d.is_retry, picked.reclaimed),
     lost as (
       update webhook_attempts a set outcome = 'unknown', ended_at = now()
         from claimed where claimed.reclaimed
          and a.delivery_id = claimed.id and a.number = claimed.tries - 1 and a.outcome is null),
     begun as (
       insert into webhook_attempts (delivery_id, number, tenant_id, webhook_id)
       select id, tries, tenant_id, webhook_id from claimed)
     select claimed.id, claimed.tenant_id as "tenantId", webhook_id as "webhookId", event_sequence as sequence,
            tries as number, attempts, is_retry as "isRetry", payload.event_id as "eventId", payload.body, payload.traceparent
       from claimed left join event_payloads payload
         on payload.tenant_id = claimed.tenant_id and payload.sequence = claimed.event_sequence
      order by event_sequence`,
    [
      uuids(requests.map(({ webhookId }) => webhookId)),
      integers(requests.map(({ firstRoom }) => firstRoom)),
      integers(requests.map(({ retryRoom }) => retryRoom)),
      bigints(requests.map(({ floor }) => floor)),
      leaseMs,
    ],
  );
}
