// SQL by hand: inserts in bulk, benchmarked.
import { newUuid, type PayloadForm, type WebhookFilter } from '@idsync/contracts';
import { bigints, booleans, texts, uuids } from '../arrays.js';
import type { Transaction } from '../database.js';
import type { EventBody } from './event-bodies.js';

export interface Subscription {
  webhookId: string;
  /** Event types, prefixes (`identity.*`) or `*`. */
  events: string[];
  /** Condition on the body of an event. */
  filter: WebhookFilter | null;
  payload: PayloadForm;
}

/** One event for one webhook. */
export interface NewDelivery {
  webhookId: string;
  sequence: number;
  type: string;
  /** The receiver gets only ids. */
  thin: boolean;
}

export async function findActiveSubscriptions(tx: Transaction, tenantId: string): Promise<Subscription[]> {
  return tx.query<Subscription>(
    'select id as "webhookId", events, filter, payload from webhooks where tenant_id = $1 and active order by created_at, id',
    [tenantId],
  );
}

/** Keeps existing payloads, which may have been sent. */
export async function savePayloads(tx: Transaction, tenantId: string, bodies: readonly EventBody[]): Promise<void> {
  await tx.query(
    `insert into event_payloads (tenant_id, sequence, event_id, body, traceparent)
     select $1, sequence, event_id, body, traceparent
       from unnest($2::bigint[], $3::uuid[], $4::text[], $5::text[]) as e (sequence, event_id, body, traceparent)
     on conflict do nothing`,
    [
      tenantId,
      bigints(bodies.map(({ sequence }) => sequence)),
      uuids(bodies.map(({ eventId }) => eventId)),
      texts(bodies.map(({ body }) => body)),
      texts(bodies.map(({ traceparent }) => traceparent ?? undefined)),
    ],
  );
}

/** Inserts at most one delivery for each webhook and event. Returns the number of new deliveries. */
export async function insertDeliveries(
  tx: Transaction,
  tenantId: string,
  deliveries: readonly NewDelivery[],
): Promise<number> {
  const [inserted] = await tx.query<{ count: number }>(
    `with inserted as (
       insert into webhook_deliveries (id, tenant_id, webhook_id, event_sequence, event_type, thin)
       select id, $1, webhook_id, sequence, type, thin
         from unnest($2::uuid[], $3::uuid[], $4::bigint[], $5::text[], $6::boolean[]) as d (id, webhook_id, sequence, type, thin)
       on conflict (webhook_id, event_sequence) do nothing returning 1)
     select count(*) from inserted`,
    [
      tenantId,
      uuids(deliveries.map(() => newUuid())),
      uuids(deliveries.map(({ webhookId }) => webhookId)),
      bigints(deliveries.map(({ sequence }) => sequence)),
      texts(deliveries.map(({ type }) => type)),
      booleans(deliveries.map(({ thin }) => thin)),
    ],
  );
  return inserted?.count ?? 0;
}
