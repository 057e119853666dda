// SQL by hand: ranges of several indexes merged, benchmarked, and lateral joins that remain index lookups.
import { type AttemptOutcome, type DeliveryStatus, thinBody } from '@idsync/contracts';
import { uuids } from '../../arrays.js';
import type { Transaction } from '../../database.js';
import type { SequenceRange } from '../../delivery/event-bodies.js';
import { findSequencesOf } from '../../delivery/replays.js';
import {
  EventPayloadEntity,
  WebhookAttemptEntity,
  WebhookDeliveryEntity,
} from '../../entities/webhook-delivery.entities.js';
import { useIndexScans } from '../../transaction-settings.js';

/** A position in the list, which is sorted by descending event sequence and webhook id. */
export interface DeliveryPosition {
  sequence: number;
  webhookId: string;
}

export interface DeliveryRow extends DeliveryPosition {
  id: string;
  eventType: string;
  /** Null if the event was deleted. */
  eventId: string | null;
  occurredAt: Date | null;
  status: DeliveryStatus;
  /** Number of attempts that were started. */
  tries: number;
  inFlight: boolean;
  createdAt: Date;
  dueAt: Date;
  endedAt: Date | null;
  /** Outcome of the last attempt; null if there is none, or while it is in flight. */
  outcome: AttemptOutcome | null;
  statusCode: number | null;
  error: string | null;
}

export interface DeliveryDetails extends DeliveryRow {
  /** The newest hundred, the oldest first. */
  attemptRows: WebhookAttemptEntity[];
  /** Null if the payload was deleted, or is not rendered again yet. */
  body: string | null;
}

const maxAttempts = 100;

/** Selects the columns of delivery lists; `$1` is the tenant. */
export const shownDeliveries = (from: string) => `
  select d.id, d.webhook_id as "webhookId", d.event_sequence as sequence, d.event_type as "eventType", event.id as "eventId",
         event.occurred_at as "occurredAt", d.status, d.tries, coalesce(d.lease_until > now(), false) as "inFlight",
         d.created_at as "createdAt", d.due_at as "dueAt", d.ended_at as "endedAt", attempt.outcome,
         attempt.status_code as "statusCode", attempt.error
    from ${from} as d
    left join lateral (
      select id, occurred_at from events where tenant_id = $1 and sequence = d.event_sequence limit 1) as event on true
    left join lateral (
      select outcome, status_code, error from webhook_attempts
       where tenant_id = $1 and delivery_id = d.id and number = d.tries limit 1) as attempt on true`;

/** Finds a delivery with its attempts and payload. */
export async function findDelivery(tx: Transaction, id: string): Promise<DeliveryDetails | undefined> {
  const { tenantId } = tx;
  const [row] = await tx.query<DeliveryRow>(
    shownDeliveries('(select * from webhook_deliveries where tenant_id = $1 and id = $2)'),
    [tenantId, id],
  );
  if (!row) return undefined;
  const attempts = await tx.manager.find(WebhookAttemptEntity, {
    where: { tenantId, deliveryId: id },
    order: { number: 'DESC' },
    take: maxAttempts,
  });
  const delivery = await tx.manager.findOneBy(WebhookDeliveryEntity, { tenantId, id });
  const payload = await tx.manager.findOneBy(EventPayloadEntity, { tenantId, sequence: row.sequence });
  const body = payload && delivery?.thin ? thinBody(payload.body) : payload?.body;
  return { ...row, attemptRows: attempts.reverse(), body: body ?? null };
}

export interface DeliveryQuery {
  webhookId?: string;
  status?: DeliveryStatus;
  eventType?: string;
  /** Range of the event time: from `since`, before `until`. */
  since?: Date;
  until?: Date;
  after?: DeliveryPosition;
  limit: number;
}

export interface DeliveryPage {
  rows: DeliveryRow[];
  /** Position of the next page; absent at the end of the list. */
  next?: DeliveryPosition;
}

/**
 * Maximum number of rows that one request examines over all webhooks. It bounds the cost of a filter without matches.
 */
const maxExamined = 20_000;
const maxSteps = 5;

/** One step of the search below a position. */
interface SearchStep {
  examinedCount: number;
  /** Number of webhooks that may have more rows than were examined. */
  unfinished: number;
  /** Rows below this position were not examined, or may not be the next ones; null at the end of the list. */
  edge: DeliveryPosition | null;
}

/**
 * Returns a page of a tenant's deliveries, the newest events first. A page may be shorter than the limit although more
 * follow, if the request reached its examination limit.
 */
export async function listDeliveries(
  tx: Transaction,
  query: DeliveryQuery,
  examineLimit = maxExamined,
): Promise<DeliveryPage> {
  const webhookIds = query.webhookId === undefined ? await findWebhookIds(tx) : [query.webhookId];
  if (webhookIds.length === 0) return { rows: [] };
  const byTime = query.since !== undefined || query.until !== undefined;
  const range = byTime ? await findSequencesOf(tx, query) : { first: 0, last: Number.MAX_SAFE_INTEGER };
  const takesAll = !byTime && query.eventType === undefined && query.status !== 'delivered';
  await useIndexScans(tx);
  const rows: DeliveryRow[] = [];
  let { after } = query;
  let budget = examineLimit;
  let unfinished = webhookIds.length;
  for (let steps = 0; steps < maxSteps && budget > 0; steps += 1) {
    const wanted = query.limit + 1 - rows.length;
    const share = Math.ceil(budget / unfinished);
    const depth = takesAll ? Math.min(wanted, share) : share;
    const step = await examineDeliveries(tx, { ...query, webhookIds, range, after, wanted, depth });
    rows.push(...step.rows);
    // A row beyond the page shows that more follow.
    const last = rows[query.limit - 1];
    if (rows.length > query.limit && last) return { rows: rows.slice(0, query.limit), next: positionOf(last) };
    if (!step.edge) return { rows };
    after = step.edge;
    budget -= step.examinedCount;
    unfinished = step.unfinished;
  }
  return { rows, next: after };
}

async function examineDeliveries(
  tx: Transaction,
  at: DeliveryQuery & { webhookIds: readonly string[]; range: SequenceRange; wanted: number; depth: number },
): Promise<SearchStep & { rows: DeliveryRow[] }> {
  const found = await tx.query<(DeliveryRow | { id: null }) & SearchStep>(
    `with examined as materialized (
       select lane.* from unnest($2::uuid[]) as w (id)
        cross join lateral (
          select least($4::bigint, case when w.id < $6::uuid then $5 else $5::bigint - 1 end) as highest) as place
        cross join lateral (${lanesOf(at.status)}) as lane),
     unfinished as (
       select webhook_id, min(event_sequence) as lowest from examined group by webhook_id having count(*) = $7),
     edge as (
       select webhook_id, lowest, json_build_object('sequence', lowest, 'webhookId', webhook_id) as edge
         from unfinished order by lowest desc, webhook_id desc limit 1),
     page as materialized (
       select examined.* from examined
        where ($8::text is null or status = $8) and ($9::text is null or event_type = $9)
          and not exists (select from edge where (examined.event_sequence, examined.webhook_id) < (edge.lowest, edge.webhook_id))
          and ($10::timestamptz is null and $11::timestamptz is null or (
            select ($10 is null or occurred_at >= $10) and ($11 is null or occurred_at < $11) from events
             where tenant_id = $1 and sequence = examined.event_sequence limit 1))
        order by event_sequence desc, webhook_id desc limit $12)
     select edge.edge, (select count(*) from examined) as "examinedCount",
            (select count(*) from unfinished) as unfinished, delivery.*
       from (select) as one left join edge on true left join (${shownDeliveries('page')}) as delivery on true
      order by delivery.sequence desc, delivery."webhookId" desc`,
    [
      tx.tenantId,
      uuids(at.webhookIds),
      at.range.first,
      at.range.last,
      at.after?.sequence ?? Number.MAX_SAFE_INTEGER,
      at.after?.webhookId ?? null,
      at.depth,
      at.status ?? null,
      at.eventType ?? null,
      at.since ?? null,
      at.until ?? null,
      at.wanted,
    ],
  );
  const [summary] = found;
  if (!summary) throw new Error('the delivery query returned no row');
  const { edge, examinedCount, unfinished } = summary;
  const rows = found.filter((row): row is DeliveryRow & SearchStep => row.id !== null);
  return { rows, examinedCount, unfinished, edge };
}

/** Selects the deliveries of one webhook in sequence order, up to the depth of the step: a range of an index, or two. */
function lanesOf(status: DeliveryStatus | undefined): string {
  const range = (fits: string) => `(
    select id, webhook_id, event_sequence, event_type, status, tries, lease_until, created_at, due_at, ended_at
      from webhook_deliveries
     where tenant_id = $1 and webhook_id = w.id and ${fits} and event_sequence >= $3 and event_sequence <= place.highest
     order by event_sequence desc limit $7)`;
  if (status === 'dead') return range(`status = 'dead'`);
  if (status !== 'pending') return range('true');
  const [first, retried] = [range(`status = 'pending' and not is_retry`), range(`status = 'pending' and is_retry`)];
  return `select * from (${first} union all ${retried}) as ranges order by event_sequence desc limit $7`;
}

function positionOf({ sequence, webhookId }: DeliveryPosition): DeliveryPosition {
  return { sequence, webhookId };
}

async function findWebhookIds(tx: Transaction): Promise<string[]> {
  return tx.ids('select id from webhooks where tenant_id = $1', [tx.tenantId]);
}
