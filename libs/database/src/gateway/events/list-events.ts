// SQL by hand: ranges of an index merged, with the deliveries of each event.
import type { DeliveryStatus } from '@idsync/contracts';
import { texts, uuids } from '../../arrays.js';
import type { Transaction } from '../../database.js';
import { likePattern } from '../../delivery/event-bodies.js';
import { findSequencesOf } from '../../delivery/replays.js';
import { type EventDetails, shownDetails } from '../../event-details.js';
import { useIndexScans } from '../../transaction-settings.js';
import type { EventReference } from './event-feed.js';
import { findLineage } from './history.js';

export interface EventFilter {
  /** Event types, prefixes such as `identity.*`, or `*`. */
  types?: readonly string[];
  identityId?: string;
  /** Events about this record. */
  subjectId?: string;
  jobId?: string;
  /** Events that runs of this connector caused. */
  connectorId?: string;
  since?: Date;
  until?: Date;
  /** Only events before this sequence. */
  before?: number;
  limit: number;
}

export interface ListedEvent extends EventReference {
  connectorId: string | null;
  /** Name of the identity, while it exists. */
  name: string | null;
  changed: string[];
  deliveries: { id: string; webhookId: string; status: DeliveryStatus }[];
}

export interface ListedEvents {
  rows: ListedEvent[];
  /** Position of the next page; absent at the end of the list. */
  next?: number;
}

/** Maximum number of events that one request examines. It bounds the cost of a filter without matches. */
const maxExamined = 5_000;

/** Returns a page of a tenant's events, the newest first. With a filter it may be short although more follow. */
export async function listEvents(
  tx: Transaction,
  { identityId, before = Number.MAX_SAFE_INTEGER, limit, ...filter }: EventFilter,
  examineLimit = maxExamined,
): Promise<ListedEvents> {
  const lineage = identityId === undefined ? undefined : await findLineage(tx, identityId);
  const { since, until, types, subjectId, jobId, connectorId } = filter;
  const range = since || until ? await findSequencesOf(tx, filter) : { first: 0, last: before };
  const isFiltered = Object.values(filter).some((value) => value !== undefined);
  const depth = isFiltered ? examineLimit : limit + 1;
  await useIndexScans(tx);
  const found = await tx.query<(ListedEvent | { id: null }) & { lowest: number | null; examined: number }>(
    `with examined as materialized (
       select * from (${lineage ? ofLineage : ofTenant}) as e order by sequence desc limit $5),
     page as materialized (
       select e.*, j.connector_id from examined as e left join lateral (
         select connector_id from sync_jobs where tenant_id = $1 and id = e.job_id limit 1) as j on true
        where ($6::text[] is null or type like any($6)) and ($7::uuid is null or e.job_id = $7)
          and ($8::uuid is null or j.connector_id = $8) and ($12::uuid is null or subject_id = $12)
          and ($9::timestamptz is null or occurred_at >= $9) and ($10::timestamptz is null or occurred_at < $10)
        order by sequence desc limit $11)
     select summary.*, shown.* from (select min(sequence) as lowest, count(*) as examined from examined) as summary
       left join (${shownEvents('page')}) as shown on true order by shown.sequence desc`,
    [
      tx.tenantId,
      uuids(lineage ?? []),
      range.first,
      Math.min(range.last, before - 1),
      depth,
      types ? texts(types.map(likePattern)) : null,
      jobId ?? null,
      connectorId ?? null,
      since ?? null,
      until ?? null,
      limit + 1,
      subjectId ?? null,
    ],
  );
  const matches = found.filter((row): row is (typeof found)[number] & ListedEvent => row.id !== null);
  const rows = matches.slice(0, limit).map(({ lowest: _, examined: __, ...row }) => row);
  if (matches.length > limit) return { rows, next: rows.at(-1)?.sequence };
  const [summary] = found;
  const mayFollow = isFiltered && summary && summary.examined === depth && summary.lowest !== null;
  return { rows, ...(mayFollow && { next: summary.lowest ?? undefined }) };
}

/** Finds an event by its id, which contains the time when it was appended; there is no index of ids. */
export async function findEvent(
  tx: Transaction,
  id: string,
): Promise<(ListedEvent & { details: EventDetails }) | undefined> {
  const time = Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16);
  if (time > Date.now() + idSkewMs) return undefined;
  const near = { since: new Date(time - idSkewMs), until: new Date(time + idSkewMs) };
  const { first, last } = await findSequencesOf(tx, near);
  await useIndexScans(tx);
  const [event] = await tx.query<ListedEvent & { details: EventDetails }>(
    shownEvents(
      `(select *, (select connector_id from sync_jobs as j where j.tenant_id = $1 and j.id = events.job_id) from events
         where tenant_id = $1 and sequence between $2 and $3 and id = $4 limit 1)`,
      'page.details',
    ),
    [tx.tenantId, first, last, id],
  );
  return event && { ...event, details: shownDetails(event.details) };
}

/** An event is appended at the end of its transaction, and the clocks of processes differ. */
const idSkewMs = 60_000;

const columns = 'sequence, id, type, occurred_at, identity_id, subject_id, job_id, details';

const ofTenant = `select ${columns} from events where tenant_id = $1 and sequence between $3 and $4
  and $2::uuid[] is not null order by sequence desc limit $5`;

/** The condition is repeated so that PostgreSQL chooses the index of identities on tables without statistics. */
const ofLineage = `select event.* from unnest($2::uuid[]) as lineage (id) cross join lateral (
  select ${columns} from events
   where tenant_id = $1 and identity_id = lineage.id and identity_id between lineage.id and lineage.id
     and sequence between $3 and $4 order by sequence desc limit $5) as event`;

/** Selects the columns of a listed event; `$1` is the tenant. */
const shownEvents = (page: string, more?: string) => `
  select page.sequence, page.id, page.type, page.occurred_at as "occurredAt", page.identity_id as "identityId",
         page.subject_id as "subjectId", page.job_id as "jobId", page.connector_id as "connectorId", i.name,
         coalesce((select jsonb_agg(distinct change ->> 'field') from jsonb_array_elements(page.details -> 'changes') as change),
                  '[]') as changed,
         coalesce(d.deliveries, '[]') as deliveries${more ? `, ${more}` : ''}
    from ${page} as page
    left join lateral (
      select display_name as name from identities where tenant_id = $1 and id = page.identity_id limit 1) as i on true
    left join lateral (
      select jsonb_agg(jsonb_build_object('id', d.id, 'webhookId', w.id, 'status', d.status) order by w.id) as deliveries
        from webhooks as w cross join lateral (
          select id, status from webhook_deliveries
           where tenant_id = $1 and webhook_id = w.id and event_sequence = page.sequence limit 1) as d
       where w.tenant_id = $1) as d on true`;
