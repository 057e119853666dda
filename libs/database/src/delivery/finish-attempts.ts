// SQL by hand: updates in bulk, benchmarked.
import type { SentRequest } from '@idsync/contracts';
import { booleans, integers, jsons, texts, times, uuids } from '../arrays.js';
import type { Transaction } from '../database.js';

/** Outcome of an attempt, and the next state of its delivery. */
export interface FinishedAttempt {
  deliveryId: string;
  number: number;
  outcome: string;
  statusCode?: number;
  error?: string;
  /** Response body of the receiver, at most 16 KiB. */
  responseBody?: string;
  responseHeaders?: Record<string, string>;
  /** Absent if no request was sent. */
  request?: SentRequest;
  durationMs: number;
  endedAt: Date;
  status: 'pending' | 'delivered' | 'dead';
  /** Whether it counts as an attempt of the schedule. It does not if it was never sent for an internal reason. */
  counts: boolean;
  /** Time of the next attempt, if the delivery stays pending. */
  dueAt?: Date;
}

/**
 * Stores the outcomes of a tenant's attempts and releases their leases. If a lease was lost, neither the delivery nor
 * the attempt is changed; the attempt is `unknown` by then. Returns the ids of the deliveries whose lease was still
 * held.
 */
export async function finishAttempts(
  tx: Transaction,
  tenantId: string,
  finished: readonly FinishedAttempt[],
): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(
    `with ended as (
       select * from unnest($1::uuid[], $2::integer[], $3::text[], $4::integer[], $5::text[], $6::text[], $7::integer[],
                            $8::timestamptz[], $9::text[], $10::timestamptz[], $11::boolean[], $13::jsonb[], $14::jsonb[])
         as e (id, number, outcome, status_code, error, response_body, duration_ms, ended_at, status, due_at, counts, request,
                 response_headers)),
     held as (
       update webhook_deliveries d
          set status = ended.status, attempts = d.attempts + ended.counts::integer, lease_until = null, is_retry = true,
              due_at = coalesce(ended.due_at, d.due_at),
              ended_at = case when ended.status <> 'pending' then ended.ended_at end
         from ended where d.tenant_id = $12 and d.id = any ($1::uuid[]) and d.id = ended.id and d.tries = ended.number and d.status = 'pending' and d.lease_until is not null
       returning d.id)
     update webhook_attempts a
        set outcome = ended.outcome, status_code = ended.status_code, error = ended.error,
            response_body = ended.response_body,
            request = ended.request, response_headers = ended.response_headers, duration_ms = ended.duration_ms, ended_at = ended.ended_at
       from ended join held using (id)
      where a.delivery_id = any ($1::uuid[]) and a.delivery_id = ended.id and a.number = ended.number and a.outcome is null
     returning a.delivery_id as id`,
    [
      uuids(finished.map(({ deliveryId }) => deliveryId)),
      integers(finished.map(({ number }) => number)),
      texts(finished.map(({ outcome }) => outcome)),
      integers(finished.map(({ statusCode }) => statusCode)),
      texts(finished.map(({ error }) => error)),
      texts(finished.map(({ responseBody }) => responseBody)),
      integers(finished.map(({ durationMs }) => durationMs)),
      times(finished.map(({ endedAt }) => endedAt)),
      texts(finished.map(({ status }) => status)),
      times(finished.map(({ dueAt }) => dueAt)),
      booleans(finished.map(({ counts }) => counts)),
      tenantId,
      jsons(finished.map(({ request }) => request && JSON.stringify(request))),
      jsons(finished.map(({ responseHeaders }) => responseHeaders && JSON.stringify(responseHeaders))),
    ],
  );
  return rows.map(({ id }) => id);
}
