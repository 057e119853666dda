import type { DeliveryStatus } from '@idsync/contracts';
import { uuids } from '../arrays.js';
import type { Transaction } from '../database.js';
import type { SequenceRange } from '../webhook-delivery/event-bodies.js';
import { findSequencesOf } from '../webhook-delivery/replays.js';
import { type DeliveryPosition, type DeliveryRow, shownDeliveries } from './deliveries.js';
import { readInOrder } from './read-in-order.js';

export interface DeliveryQuery {
  webhookId?: string;
  status?: DeliveryStatus;
  eventType?: string;
  /** When the event occurred: from here on, and before there. */
  since?: Date;
  until?: Date;
  after?: DeliveryPosition;
  limit: number;
}

export interface DeliveryPage {
  rows: DeliveryRow[];
  /** Where to go on; absent where the list has ended. */
  next?: DeliveryPosition;
}

/** Rows that one request looks at, over all webhooks: a filter that fits nothing costs no more than one that fits everything. */
const mostLookedAt = 20_000;
const mostLooks = 5;

/** By status: the ranges of one index each in which a webhook's deliveries lie by sequence. */
const lanes: Record<DeliveryStatus | 'any', readonly string[]> = {
  any: ['true'],
  delivered: ['true'],
  dead: [`status = 'dead'`],
  pending: [`status = 'pending' and not is_retry`, `status = 'pending' and is_retry`],
};

/** One look at the deliveries of some webhooks below a place. */
interface Look {
  rows: DeliveryRow[];
  lookedAt: number;
  /** Webhooks that may have more than was looked at. */
  unfinished: number;
  /** Below it, rows were not looked at, or are not known to be the next ones; absent if there is nothing more. */
  edge?: DeliveryPosition;
}

/**
 * A page of a tenant's deliveries, the newest events first. It may hold fewer than the limit although there are more: then it
 * has come as far as one request looks.
 */
export async function listDeliveries(
  tx: Transaction,
  tenantId: string,
  query: DeliveryQuery,
  lookAt = mostLookedAt,
): Promise<DeliveryPage> {
  const webhookIds = query.webhookId === undefined ? await findWebhookIds(tx, tenantId) : [query.webhookId];
  if (webhookIds.length === 0) return { rows: [] };
  const byTime = query.since !== undefined || query.until !== undefined;
  const range = byTime ? await findSequencesOf(tx, tenantId, query) : { first: 0, last: Number.MAX_SAFE_INTEGER };
  const takesAll = !byTime && query.eventType === undefined && query.status !== 'delivered';
  await readInOrder(tx);
  const rows: DeliveryRow[] = [];
  let { after } = query;
  let budget = lookAt;
  let unfinished = webhookIds.length;
  for (let looks = 0; looks < mostLooks && budget > 0; looks += 1) {
    const wanted = query.limit + 1 - rows.length;
    const share = Math.ceil(budget / unfinished);
    const depth = takesAll ? Math.min(wanted, share) : share;
    const look = await lookAtDeliveries(tx, tenantId, { ...query, webhookIds, range, after, wanted, depth });
    rows.push(...look.rows);
    // A row beyond the page says that there are more.
    const last = rows[query.limit - 1];
    if (rows.length > query.limit && last) return { rows: rows.slice(0, query.limit), next: placeOf(last) };
    if (!look.edge) return { rows };
    after = look.edge;
    budget -= look.lookedAt;
    unfinished = look.unfinished;
  }
  return { rows, next: after };
}

async function lookAtDeliveries(
  tx: Transaction,
  tenantId: string,
  at: DeliveryQuery & { webhookIds: readonly string[]; range: SequenceRange; wanted: number; depth: number },
): Promise<Look> {
  const found = await tx.query<(DeliveryRow | { id: null }) & Seen>(
    `with looked as materialized (
       select lane.* from unnest($2::uuid[]) as w (id)
        cross join lateral (
          select least($4::bigint, case when w.id < $6::uuid then $5 else $5::bigint - 1 end) as highest) as place
        cross join lateral (${lanesOf(at.status ?? 'any')}) as lane),
     unfinished as (
       select webhook_id, min(event_sequence) as lowest from looked group by webhook_id having count(*) = $7),
     edge as (
       select webhook_id, lowest from unfinished order by lowest desc, webhook_id desc limit 1),
     page as materialized (
       select looked.* from looked
        where ($8::text is null or status = $8) and ($9::text is null or event_type = $9)
          and not exists (select from edge where (looked.event_sequence, looked.webhook_id) < (edge.lowest, edge.webhook_id))
          and ($10::timestamptz is null and $11::timestamptz is null or (
            select ($10 is null or occurred_at >= $10) and ($11 is null or occurred_at < $11) from events
             where tenant_id = $1 and sequence = looked.event_sequence limit 1))
        order by event_sequence desc, webhook_id desc limit $12)
     select edge.lowest as "edgeSequence", edge.webhook_id as "edgeWebhookId", (select count(*) from looked) as "lookedAt",
            (select count(*) from unfinished) as unfinished, delivery.*
       from (select) as one left join edge on true left join (${shownDeliveries('page')}) as delivery on true
      order by delivery.sequence desc, delivery."webhookId" desc`,
    [
      tenantId,
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
  const [seen] = found;
  if (!seen) throw new Error('a join with one row gave none');
  const { edgeSequence: sequence, edgeWebhookId: webhookId, lookedAt, unfinished } = seen;
  const edge = sequence === null || webhookId === null ? undefined : { sequence, webhookId };
  return { rows: found.filter((row): row is DeliveryRow & Seen => row.id !== null), lookedAt, unfinished, edge };
}

interface Seen {
  lookedAt: number;
  unfinished: number;
  edgeSequence: number | null;
  edgeWebhookId: string | null;
}

/** Of one webhook, as far as it is looked at. */
function lanesOf(status: DeliveryStatus | 'any'): string {
  const ranges = lanes[status].map(
    (
      fits,
    ) => `(select id, webhook_id, event_sequence, event_type, status, tries, lease_until, created_at, due_at, ended_at
       from webhook_deliveries
      where tenant_id = $1 and webhook_id = w.id and ${fits} and event_sequence >= $3 and event_sequence <= place.highest
      order by event_sequence desc limit $7)`,
  );
  if (ranges.length === 1) return ranges.join('');
  return `select * from (${ranges.join(' union all ')}) as ranges order by event_sequence desc limit $7`;
}

function placeOf({ sequence, webhookId }: DeliveryPosition): DeliveryPosition {
  return { sequence, webhookId };
}

async function findWebhookIds(tx: Transaction, tenantId: string): Promise<string[]> {
  const rows = await tx.query<{ id: string }>('select id from webhooks where tenant_id = $1', [tenantId]);
  return rows.map(({ id }) => id);
}
