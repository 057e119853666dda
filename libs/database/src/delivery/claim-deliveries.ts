// SQL by hand: claims in bulk, benchmarked.
import { arraysOf, bigints, integers, uuids } from '../arrays.js';
import type { Transaction } from '../database.js';
import { countByHour } from './finish-attempts.js';

/** How many deliveries of a webhook to claim. */
export interface ClaimRequest {
  tenantId: string;
  webhookId: string;
  firstLimit: number;
  retryLimit: number;
  /** First attempts are searched above this sequence only, since the index below it may contain only dead entries. */
  floor: number;
}

/** The right to make one attempt. `number` is the fencing token: every later claim of the delivery has a higher one. */
export interface ClaimedDelivery {
  id: string;
  tenantId: string;
  webhookId: string;
  sequence: number;
  number: number;
  /** Number of attempts of the schedule that are used up. */
  attempts: number;
  isRetry: boolean;
  /** The receiver gets only ids. */
  thin: boolean;
  /** Null if an erasure removed them, so that they must be rendered again. */
  eventId: string | null;
  body: string | null;
  /** Trace context of the operation that caused the event. */
  traceparent: string | null;
}

/**
 * Claims due deliveries of a tenant and records the attempts before anything is sent. An attempt whose lease expired is
 * marked `unknown`.
 *
 * A claim changes no indexed column, so that it costs no index entry (HOT). Deliveries in flight therefore stay in the
 * index and are skipped; their number is bounded per webhook. Each lane is one range of one partial index: a claim
 * takes the same time with a million due deliveries as with a thousand. Rows are updated by an array of ids, because
 * PostgreSQL expects a join to have many rows and would scan the table.
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
         join webhooks on webhooks.tenant_id = $6 and webhooks.id = w.webhook_id and webhooks.active),
     firsts as (
       select d.* from wanted cross join lateral (
         select id, lease_until is not null as reclaimed from webhook_deliveries
          where tenant_id = $6 and webhook_id = wanted.webhook_id and status = 'pending' and not is_retry
            and event_sequence > wanted.floor and (lease_until is null or lease_until < now())
          order by event_sequence limit wanted.first_room for update skip locked) as d),
     retries as (
       select d.* from wanted cross join lateral (
         select id, lease_until is not null as reclaimed from webhook_deliveries
          where tenant_id = $6 and webhook_id = wanted.webhook_id and status = 'pending' and is_retry
            and due_at <= now() and (lease_until is null or lease_until < now())
          order by due_at limit wanted.retry_room for update skip locked) as d),
     picked as (select * from firsts union all select * from retries),
     claimed as (
       update webhook_deliveries d set tries = d.tries + 1, lease_until = now() + $5 * interval '1 millisecond'
        where d.tenant_id = $6 and d.id = any (array(select id from picked))
       returning d.id, d.tenant_id, d.webhook_id, d.event_sequence, d.tries, d.attempts, d.is_retry, d.thin),
     lost as (
       update webhook_attempts a set outcome = 'unknown', ended_at = now()
         from claimed join picked on picked.id = claimed.id where picked.reclaimed
          and a.tenant_id = $6 and a.delivery_id = claimed.id and a.number = claimed.tries - 1 and a.outcome is null
       returning a.webhook_id, a.outcome, a.ended_at),
     counted as (${countByHour('lost', '$6')}),
     begun as (
       insert into webhook_attempts (delivery_id, number, tenant_id, webhook_id)
       select id, tries, tenant_id, webhook_id from claimed returning 1)
     select claimed.id, claimed.tenant_id as "tenantId", webhook_id as "webhookId", event_sequence as sequence,
            tries as number, attempts, is_retry as "isRetry", thin, payload.event_id as "eventId", payload.body, payload.traceparent
       from claimed left join lateral (
              select event_id, body, traceparent from event_payloads
               where tenant_id = $6 and sequence = claimed.event_sequence limit 1) as payload on true
      order by event_sequence`,
    [
      ...arraysOf(requests, { webhookId: uuids, firstLimit: integers, retryLimit: integers, floor: bigints }),
      leaseMs,
      tx.tenantId,
    ],
  );
}
