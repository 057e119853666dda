// SQL by hand: inserts in bulk, benchmarked.
import { newUuid, type PayloadForm, type WebhookFilter } from '@idsync/contracts';
import { arraysOf, bigints, booleans, texts, uuids } from '../arrays.js';
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

export async function findActiveSubscriptions(tx: Transaction): Promise<Subscription[]> {
  return tx.query<Subscription>(
    'select id as "webhookId", events, filter, payload from webhooks where tenant_id = $1 and active order by created_at, id',
    [tx.tenantId],
  );
}

/** Keeps existing payloads, which may have been sent. */
export async function savePayloads(tx: Transaction, bodies: readonly EventBody[]): Promise<void> {
  await tx.query(
    `insert into event_payloads (tenant_id, sequence, event_id, body, traceparent)
     select $1, sequence, event_id, body, traceparent
       from unnest($2::bigint[], $3::uuid[], $4::text[], $5::text[]) as e (sequence, event_id, body, traceparent)
     on conflict do nothing`,
    [tx.tenantId, ...arraysOf(bodies, { sequence: bigints, eventId: uuids, body: texts, traceparent: texts })],
  );
}

/** Inserts at most one delivery for each webhook and event. Returns the number of new deliveries. */
export async function insertDeliveries(tx: Transaction, deliveries: readonly NewDelivery[]): Promise<number> {
  return tx.count(
    `with inserted as (
       insert into webhook_deliveries (id, tenant_id, webhook_id, event_sequence, event_type, thin)
       select id, $1, webhook_id, sequence, type, thin
         from unnest($2::uuid[], $3::uuid[], $4::bigint[], $5::text[], $6::boolean[]) as d (id, webhook_id, sequence, type, thin)
       on conflict (tenant_id, webhook_id, event_sequence) where webhook_id is not null do nothing returning 1)
     select count(*) from inserted`,
    [
      tx.tenantId,
      uuids(deliveries.map(() => newUuid())),
      ...arraysOf(deliveries, { webhookId: uuids, sequence: bigints, type: texts, thin: booleans }),
    ],
  );
}

export interface FanOutPosition {
  /** The last event that was fanned out. */
  sequence: number;
  /** The last committed event. */
  last: number;
}

/**
 * Locks a tenant's fan-out until the end of the transaction. Returns undefined if another transaction has the lock, and
 * for tenants that are deleted. Sequences follow commits, so no event below `last` is still missing.
 */
export async function lockFanOut(tx: Transaction): Promise<FanOutPosition | undefined> {
  const locked = await lockPosition(tx);
  if (locked || !(await beginPosition(tx))) return locked;
  return lockPosition(tx);
}

async function lockPosition(tx: Transaction): Promise<FanOutPosition | undefined> {
  // Sent together. The second reads after the first has the lock, whose previous holder may have processed later events.
  const [[position], [events]] = await Promise.all([
    tx.query<{ sequence: number }>(
      'select sequence from fan_out_positions where tenant_id = $1 for update skip locked',
      [tx.tenantId],
    ),
    tx.query<{ last: number }>('select last from event_sequences where tenant_id = $1', [tx.tenantId]),
  ]);
  return position && { sequence: position.sequence, last: events?.last ?? position.sequence };
}

/** Returns false if the tenant has a position or was deleted before its last events were processed. */
async function beginPosition(tx: Transaction): Promise<boolean> {
  return tx.any(
    `insert into fan_out_positions (tenant_id, sequence)
     select id, 0 from tenants where id = $1 and not exists (select from tenant_deletions where tenant_id = $1)
     on conflict do nothing returning 1`,
    [tx.tenantId],
  );
}

export async function saveFanOut(tx: Transaction, sequence: number): Promise<void> {
  await tx.query('update fan_out_positions set sequence = $2 where tenant_id = $1', [tx.tenantId, sequence]);
}

/** Finds tenants with events that are not fanned out yet; the longest backlog first. */
export async function findTenantsBehind(tx: Transaction, limit: number): Promise<{ tenantId: string; last: number }[]> {
  return tx.query<{ tenantId: string; last: number }>(
    `select s.tenant_id as "tenantId", s.last from event_sequences s left join fan_out_positions p using (tenant_id)
      where s.last > coalesce(p.sequence, 0) order by s.last - coalesce(p.sequence, 0) desc limit $1`,
    [limit],
  );
}

/** Returns the time of PostgreSQL's clock. */
export async function databaseTime(tx: Transaction): Promise<Date> {
  const [row] = await tx.query<{ now: Date }>('select clock_timestamp() as now');
  if (!row) throw new Error('PostgreSQL did not return its time');
  return row.now;
}
