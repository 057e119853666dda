// SQL by hand: a size-limited page from lateral joins, benchmarked.
import { encodeId, type FieldChange, type IdKind, recordIds, showsChanges } from '@idsync/contracts';
import type { Transaction } from '../database.js';
import { type EventDetails, shownDetails } from '../event-details.js';
import { isWithinPage } from '../gateway/page.js';
import { useIndexScans } from '../transaction-settings.js';

export interface SequenceRange {
  first: number;
  last: number;
}

/** The exact text of one event, the same for every webhook and in the feed. */
export interface EventBody {
  sequence: number;
  eventId: string;
  type: string;
  subjectId: string | null;
  occurredAt: Date;
  body: string;
  /** Trace context of the operation that caused the event. */
  traceparent: string | null;
}

interface EventRow extends Omit<EventBody, 'body'> {
  identityId: string | null;
  details: EventDetails;
  /** The body that was sent, if it is still stored. */
  sent: string | null;
  /** The public document of the event's subject after the event; null if the subject is gone, or it is not needed. */
  resource: string | null;
}

/** The first bodies of a range. */
export interface EventBodies {
  bodies: EventBody[];
  /** The last sequence that was examined: the end of the range, or where the limit or page size was reached. */
  reached: number;
}

/**
 * Reads the first bodies of a range, by sequence, as many as fit into a page. `types` are event types, prefixes such as
 * `identity.*`, or `*`. An event that was sent before has exactly the stored body; otherwise it is rendered with its
 * subject's document as it was after the event.
 */
export async function findEventBodies(
  tx: Transaction,
  range: SequenceRange,
  { types, limit }: { types?: readonly string[]; limit: number },
): Promise<EventBodies> {
  // A bitmap scan would read all later versions of a subject instead of the first.
  const settings = useIndexScans(tx);
  // The inner limit keeps each lookup an index lookup, whatever the table statistics say.
  const reading = tx.query<EventRow & { fits: boolean }>(
    `select sequence, "eventId", type, "occurredAt", "subjectId", "identityId", traceparent, fits,
            case when fits then details end as details, case when fits then sent end as sent,
            case when fits then resource end as resource
       from (select *, ${isWithinPage('coalesce(octet_length(sent), 0) + coalesce(octet_length(resource), 0) + octet_length(details::text)', 'sequence')} as fits from (
     select e.sequence, e.id as "eventId", e.type, e.occurred_at as "occurredAt", e.subject_id as "subjectId",
            e.identity_id as "identityId", e.details, e.traceparent,
            payload.body as sent, coalesce(record.document, identity.document) as resource
       from (select * from events
              where tenant_id = $1 and sequence between $2 and $3 and ($4::text[] is null or type like any($4))
              order by sequence limit $5) as e
       left join lateral (
         select body from event_payloads where tenant_id = $1 and sequence = e.sequence limit 1
       ) as payload on true
       left join lateral (
         select coalesce((
                  select document from record_versions
                   where tenant_id = $1 and record_id = e.subject_id and valid_until > e.occurred_at
                   order by valid_until, id limit 1), document) as document
           from source_records
          where payload.body is null and tenant_id = $1 and id = e.subject_id and split_part(e.type, '.', 1) = kind limit 1
       ) as record on true
       left join lateral (
         select document from (
           (select 1 as place, document from identity_versions
             where ${isOfIdentity} and identity_id = e.identity_id and into_id is null and valid_until > e.occurred_at
             order by valid_until, id limit 1)
           union all
           (select 2, document from identities where ${isOfIdentity} and id = e.identity_id limit 1)) as states
          order by place limit 1
       ) as identity on true) as found) as found
      order by sequence`,
    [tx.tenantId, range.first, range.last, types?.map(likePattern) ?? null, limit],
  );
  const [, found] = await Promise.all([settings, reading]);
  const rows = found.filter(({ fits }) => fits);
  const isWhole = rows.length === found.length && rows.length < limit;
  const tenant = encodeId('tenant', tx.tenantId);
  const bodies = rows.map((row) => {
    const { sequence, eventId, type, subjectId, occurredAt, traceparent } = row;
    const body = row.sent ?? renderEventBody(row, tenant);
    return { sequence, eventId, type, subjectId, occurredAt, traceparent, body };
  });
  return { bodies, reached: isWhole ? range.last : (bodies.at(-1)?.sequence ?? range.last) };
}

/** True for an event to render with an identity. */
const isOfIdentity = `payload.body is null and tenant_id = $1 and split_part(e.type, '.', 1) in ('identity', 'lifecycle')`;

/** Converts an event name of a subscription to a LIKE pattern. */
export function likePattern(name: string): string {
  return name.replaceAll('_', '\\_').replace(/\*$/, '%');
}

const subjectKinds: Record<string, IdKind> = {
  identity: 'identity',
  lifecycle: 'identity',
  ...recordIds,
};

/** Details of an event that are added to the resource. */
const additions = [
  'job_id',
  'operation_id',
  'merged_id',
  'into_id',
  'from_id',
  'new_id',
  'reason',
  'evidence',
  'handed_over',
  'erased',
];

function renderEventBody(event: EventRow, tenant: string): string {
  const envelope = {
    id: encodeId('event', event.eventId),
    type: event.type,
    timestamp: event.occurredAt.toISOString(),
    tenant_id: tenant,
    sequence: event.sequence,
  };
  return `${JSON.stringify(envelope).slice(0, -1)},"data":${renderData(event)}}`;
}

/** Appends to the text of the rendered document instead of parsing it. */
function renderData({ type, subjectId, identityId, details, resource }: EventRow): string {
  const { changes = [], ...rest } = shownDetails(details);
  const kind = subjectKinds[type.slice(0, type.indexOf('.'))];
  // An event of a job, a finding, a group or a test has only its own details, no document.
  const changed = [...new Set(changes.map(({ field }) => field))];
  if (!kind) {
    const shownChanges = changes.length > 0 && valuesOf(changes, undefined);
    return JSON.stringify({ ...rest, ...shownChanges, changed: changed.length > 0 ? changed : changedOf(type, rest) });
  }
  const added = Object.fromEntries(additions.flatMap((key) => (key in rest ? [[key, rest[key]]] : [])));
  const previous = showsChanges(type) && changes.length > 0 ? valuesOf(changes, rest.values_left_out) : {};
  const more = JSON.stringify({ ...added, ...previous, changed }).slice(1);
  // A mover event has the user as its subject, but reports the identity.
  const id = kind === 'identity' ? (identityId ?? subjectId) : subjectId;
  const shown = resource ?? JSON.stringify({ ...(id && { id: encodeId(kind, id) }) });
  return shown === '{}' ? `{${more}` : `${shown.slice(0, -1)},${more}`;
}

function changedOf(type: string, details: Record<string, unknown>): string[] {
  if (type === 'group.members_changed') return ['members'];
  return ['status', 'state'].filter((field) => field in details);
}

/** Omits the connector of each change, which means nothing to a receiver. */
function valuesOf(changes: readonly FieldChange[], values_left_out: unknown): Record<string, unknown> {
  return {
    changes: changes.map(({ field, from, to }) => ({ field, from, to })),
    ...(values_left_out === true && { values_left_out }),
  };
}
